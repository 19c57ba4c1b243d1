-- The database of the demo.
CREATE DATABASE exports
