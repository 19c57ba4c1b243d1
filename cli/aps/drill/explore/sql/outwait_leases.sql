-- Wait until every lease is over. Returns nothing of use.
SELECT drill.outwait_leases()
