-- For the rest of this transaction no workers: to hand them a plan with arrays of thousands took 300 ms of 390 (measured).
SELECT set_config('max_parallel_workers_per_gather', %(workers)s::text, true)
