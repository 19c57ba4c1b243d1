"""Triggers that a queue's owner may have made, as the superuser makes them on aps.job."""

from __future__ import annotations

from tests.support.database import Database

RAISES = "RAISE EXCEPTION 'job % may not change', NEW.job_id USING ERRCODE = 'P0042'; RETURN NEW"
KEEPS = "RETURN NULL"
TOUCHES_ANOTHER = (
    "UPDATE aps.job SET updated_at = updated_at WHERE job_id = NEW.job_id + 500; RETURN NEW"
)
DELETES = "DELETE FROM aps.attempt WHERE job_id = NEW.job_id;"
DELETES += " DELETE FROM aps.job WHERE job_id = NEW.job_id; RETURN NULL"
SLEEPS = "PERFORM pg_sleep(60); RETURN NEW"

_FUNCTION = (
    "CREATE FUNCTION public.{name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER"
    " AS $f$ BEGIN {body}; END $f$"
)
_KINDS = {
    "before": "CREATE TRIGGER {name} BEFORE UPDATE ON aps.job",
    "after": "CREATE TRIGGER {name} AFTER UPDATE ON aps.job",
    "deferred": "CREATE CONSTRAINT TRIGGER {name} AFTER UPDATE ON aps.job DEFERRABLE INITIALLY DEFERRED",
}
_EACH = " FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION public.{name}()"


def trigger(database: Database, kind: str, body: str, when: str = "NEW.state = 'ready'") -> None:
    """One trigger on updates of aps.job: `before`, `after` or `deferred`."""
    name = f"owners_{kind}_trigger"
    database.execute(_FUNCTION.format(name=name, body=body).encode())
    database.execute((_KINDS[kind] + _EACH).format(name=name, when=when).encode())
