-- No limit for the sessions of one role.
ALTER ROLE {role} SET {setting} = 0;
