-- Deferred triggers and constraints run now, inside the counted statement's span.
SET CONSTRAINTS ALL IMMEDIATE
