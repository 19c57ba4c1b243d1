-- For the trials of crashes only: a table to write to, and a notification with every event and every entry of the
-- journal, so that a COMMIT can be made to wait for the one before it. Returns nothing.
CREATE TABLE public.written (at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE FUNCTION public.tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('drill', '');
  RETURN NULL;
END $$;
CREATE TRIGGER tell AFTER INSERT ON aps.event FOR EACH ROW EXECUTE FUNCTION public.tell();
CREATE TRIGGER tell AFTER INSERT ON aps_journal.entry FOR EACH ROW EXECUTE FUNCTION public.tell();
