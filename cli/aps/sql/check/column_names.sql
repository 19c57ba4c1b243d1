-- Names of the columns of one relation by their position. Returns position, name.
SELECT attnum AS position, attname AS name FROM pg_attribute WHERE attrelid = %(relation)s::oid AND attnum > 0
