from __future__ import annotations

import psycopg
import pytest

from tests.support.database import Database


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_a_database_of_its_own(database: Database, turn: int) -> None:
    assert database.execute(b"SELECT to_regclass('seen') IS NULL") == [(True,)]
    database.execute(b"CREATE TABLE seen ()")


def test_tests_act_as_the_operator_who_can_delete_nothing(database: Database) -> None:
    connection = database.connect()
    assert connection.execute(b"SELECT session_user::text").fetchall() == [("aps_operate",)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(b"DELETE FROM aps.job")


def test_the_reader_can_only_look(database: Database) -> None:
    connection = database.connect("aps_read")
    assert connection.execute(b"SELECT count(*) FROM aps.job").fetchall() == [(0,)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(b"UPDATE aps.job SET reason = 'none'")
