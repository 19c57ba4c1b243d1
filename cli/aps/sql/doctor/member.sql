-- Whether this role has the rights of another; NULL: there is no such role. Returns member.
SELECT (SELECT pg_has_role(current_user, oid, 'USAGE') FROM pg_roles WHERE rolname = %(role)s) AS member
