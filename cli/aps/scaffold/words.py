"""Words by which columns and values are recognised. The first of a list is the surest."""

from __future__ import annotations

STATE = ("state", "status", "phase", "stage")

# Times, by the words of the column's name.
LEASE = (
    "lease",
    "leased",
    "until",
    "expires",
    "expire",
    "expiry",
    "expiration",
    "visibility",
    "deadline",
)
HEARTBEAT = ("heartbeat", "beat", "keepalive", "ping", "pinged", "alive", "seen")
CLAIMED = (
    "claimed",
    "locked",
    "leased",
    "reserved",
    "acquired",
    "taken",
    "picked",
    "assigned",
    "dequeued",
)
STARTED = ("started", "start", "begun", "attempted")
FINISHED = (
    "finished", "completed", "done", "processed", "ended", "published", "delivered", "sent", "closed",
    "resolved", "finalized", "completion", "finish",
)  # fmt: skip
FAILED = (
    "failed",
    "errored",
    "discarded",
    "dead",
    "died",
    "rejected",
    "aborted",
    "cancelled",
    "canceled",
)
DUE = ("due", "scheduled", "run", "available", "visible", "before")
CREATED = (
    "created",
    "enqueued",
    "queued",
    "inserted",
    "submitted",
    "requested",
    "received",
    "added",
    "ready",
)
UPDATED = ("updated", "modified", "changed")

# Who and what, by the words of the column's name.
WORKER = (
    "worker",
    "runner",
    "consumer",
    "executor",
    "agent",
    "processor",
    "lessee",
    "holder",
    "owner",
)
TOKEN = ("token",)
GENERATION = ("epoch", "generation", "fence", "fencing", "version", "revision", "gen")
ATTEMPT = ("attempt", "attempts", "tries", "try", "retries", "retry", "deliveries")
RESULT = ("result", "output", "artifact", "published", "rendered")

# Values of a state.
READY = (
    "ready",
    "queued",
    "pending",
    "waiting",
    "new",
    "todo",
    "open",
    "available",
    "enqueued",
    "created",
    "idle",
)
RUNNING = (
    "running", "processing", "in_progress", "inprogress", "claimed", "leased", "locked", "executing",
    "working", "started", "active", "taken", "reserved", "assigned", "acquired", "busy", "picking",
)  # fmt: skip
DONE = (
    "done", "complete", "completed", "finished", "success", "succeeded", "successful", "processed",
    "published", "delivered", "sent", "shipped", "closed", "resolved", "archived", "ok",
)  # fmt: skip
FAILURE = (
    "failed", "failure", "error", "errored", "dead", "aborted", "rejected", "cancelled", "canceled",
    "discarded", "expired", "skipped", "killed", "timeout", "timed_out", "abandoned", "lost",
)  # fmt: skip
