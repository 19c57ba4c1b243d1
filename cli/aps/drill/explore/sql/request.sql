-- What a request was accepted with. Returns kind, input_name, input_digest.
SELECT kind, input_name, input_digest FROM aps.job WHERE request_key = %(request_key)s
