-- A schema for the tables of a pack whose own schema names none.
CREATE SCHEMA IF NOT EXISTS {schema}
