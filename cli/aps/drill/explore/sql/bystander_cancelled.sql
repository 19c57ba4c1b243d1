-- A part of a query: somebody has cancelled the other job.
EXISTS (SELECT FROM aps.job b WHERE b.request_key = 'bystander' AND b.state = 'cancelled')
