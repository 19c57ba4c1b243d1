-- A database on a private server.
CREATE DATABASE {name}
