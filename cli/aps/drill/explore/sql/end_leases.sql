-- Time passes until every lease is over; it is moved, not waited for. Returns nothing of use.
SELECT drill.end_leases()
