"""`aps doctor` on a real streaming standby."""

from __future__ import annotations

import pytest

from aps.exits import Exit
from tests.support import trouble
from tests.support.database import Database
from tests.support.examining import examined, verdicts
from tests.support.standby import Standby
from tests.support.watching import eventually

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("role", ["aps_read", "aps_operate", "postgres"])
def test_a_standby_is_told_as_one_and_rights_are_those_of_the_primary(
    database: Database, standby: Standby, role: str
) -> None:
    with standby.of(database) as here:
        assert eventually(lambda: examined(here, role)[1]["lag"]["verdict"] == "ok")
        code, checks = examined(here, role)
    assert (code, verdicts(checks, "standby", "settings")) == (Exit.WARNING, set())
    assert "is a standby" in checks["standby"]["sentence"]
    assert "hot_standby_feedback" in checks["settings"]["sentence"]
    acts = "not_asked" if role == "aps_read" else "ok"
    assert (checks["inspect"]["verdict"], checks["reclaim"]["verdict"]) == ("ok", acts)


def test_a_role_with_nothing_is_told_its_grants_on_a_standby_too(
    database: Database, standby: Standby
) -> None:
    role = trouble.role(database)
    with standby.of(database) as here:
        code, checks = examined(here, role)
    assert code == Exit.CRITICAL
    assert checks["inspect"]["remedy"] == [f'GRANT aps_read TO "{role}";']
    assert checks["lag"]["verdict"] == "unknown"


def test_a_replay_that_is_behind_is_told_in_bytes_and_age(
    database: Database, standby: Standby
) -> None:
    with standby.of(database) as here, standby.paused():
        trouble.abandoned(database)
        assert eventually(standby.received)
        code, checks = examined(here, "aps_read")
    assert (code, checks["lag"]["verdict"]) == (Exit.WARNING, "warning")
    assert "were received and are not replayed" in checks["lag"]["sentence"]


def test_a_standby_that_receives_nothing_does_not_know_its_lag(
    database: Database, standby: Standby
) -> None:
    with standby.of(database) as here, standby.cut_off():
        code, checks = examined(here, "aps_read")
    assert (code, checks["lag"]["verdict"]) == (Exit.UNDETERMINED, "unknown")
    assert "no receiver streams" in checks["lag"]["sentence"]
