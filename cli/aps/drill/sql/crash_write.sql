-- Something to commit, with a notification where `aloud`. Returns told, the notifications.
WITH made AS (INSERT INTO public.written DEFAULT VALUES RETURNING at)
SELECT count(pg_notify('drill', '')) FILTER (WHERE %(aloud)s) AS told FROM made
