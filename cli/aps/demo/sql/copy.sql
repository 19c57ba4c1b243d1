-- A database on a private server, as another one is.
CREATE DATABASE {name} TEMPLATE {template}
