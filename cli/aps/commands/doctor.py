"""`aps doctor`: what this role may do here, and what stands in its way."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aps.commands import console, options, stores
from aps.commands.options import Reach

if TYPE_CHECKING:
    from aps.doctor import Patient
    from aps.model.examination import Check, Examination


def doctor(
    store: stores.StoreOption = None,
    dsn: options.Dsn = None,
    pack: options.Pack = "aps",
    schema: options.Schema = None,
    parameters: options.Set = None,
    timeout: options.Timeout = "30s",
    format: options.FormatOption = "table",
    demo: options.Demo = False,
    show_sql: options.ShowSql = False,
    quiet: options.Quiet = False,
) -> None:
    """Tell what this role may and may not do here, with the missing grant, and what else stands in the way."""
    from aps import render
    from aps import store as artifacts
    from aps.doctor import Patient

    reach = Reach(dsn, pack, schema, tuple(parameters or ()), demo, show_sql, timeout)
    target = options.target("doctor", reach, pinned=False)
    given = stores.given(store, demo=demo)
    patient = Patient(
        matrix=target.matrix,
        application="aps/doctor",
        pinned=os.environ.get("APS_PACK_SHA256", "").strip().lower(),
        store=None if given is None else artifacts.open(given),
        more=(_demo(demo),),
    )
    examination = _examined(target.session, patient)
    console.out(render.examination(examination, format, console.view(quiet=quiet)))
    console.leave(examination.exit_code)


def _examined(session: options.Session, patient: Patient) -> Examination:
    from aps import doctor
    from aps.database import ConnectionLost

    try:
        with session() as database:
            return doctor.examine(patient, database)
    except ConnectionLost:
        with session() as database:
            return doctor.examine(patient, database)


def _demo(asked: bool) -> Check:
    from aps.model.examination import Check

    if not asked:
        return Check("demo", "not_asked", "looked at where --demo is given")
    from aps.demo import control

    running = control.running()
    if running is None:
        return Check("demo", "critical", "it has ended meanwhile", ("aps demo",))
    return Check("demo", "ok", f"it runs on PostgreSQL {running.version}")
