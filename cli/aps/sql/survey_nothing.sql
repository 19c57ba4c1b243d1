-- No claim at all: not one state could be read. Returns no row.
SELECT NULL::text AS state, false AS lifecycle, false AS itemised, NULL::timestamptz AS since, NULL::boolean AS locked, {columns}
 WHERE false
