"""What lies in the store against what the rows say. Files are looked at while no transaction is open.

Names go by in chunks, each judged by the matrix's own queries on a snapshot of its own, so memory does not grow with
the store; counts of different chunks are of different moments. A verdict that a file speaks against a row is given only
where the file was looked at again after that row was read: what is published between look and query is never missing.
"""

from __future__ import annotations

from aps.files import claims
from aps.files.claimed import of_jobs
from aps.files.looked import Looked, Wanted
from aps.files.sight import Sight, known_store
from aps.files.survey import distrusted, fault, judge, survey
from aps.files.walked import ahead

__all__ = [
    "Looked",
    "Sight",
    "Wanted",
    "ahead",
    "claims",
    "distrusted",
    "fault",
    "judge",
    "known_store",
    "of_jobs",
    "survey",
]
