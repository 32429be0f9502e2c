-- What version 2 made, and a claim that it settled. Released: never changed.
CREATE TABLE agent_schema (version INTEGER NOT NULL) STRICT;
INSERT INTO agent_schema (version) VALUES (2);
-- Who claimed which effect, and how it ended. `state`: 0 running, 1 settled, 2 unknown.
CREATE TABLE agent_claim (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    digest BLOB NOT NULL,
    fence INTEGER NOT NULL,
    state INTEGER NOT NULL,
    -- The lease: milliseconds since the start of the machine that `boot` names.
    boot TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    tool TEXT NOT NULL,
    run_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    caller TEXT NOT NULL,
    -- Microseconds since 1970.
    claimed_at INTEGER NOT NULL,
    settled_at INTEGER,
    -- JSON; null in a settled claim whose value could not be written.
    value TEXT,
    cause TEXT,
    PRIMARY KEY (tenant, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_claim_audit (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    fence INTEGER NOT NULL,
    tool TEXT NOT NULL,
    run_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    caller TEXT NOT NULL,
    claimed_at INTEGER NOT NULL,
    cause TEXT,
    settled INTEGER NOT NULL,
    value TEXT,
    who TEXT NOT NULL,
    why TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX agent_claim_audit_by_tenant ON agent_claim_audit (tenant, id);

CREATE TABLE agent_run (
    tenant TEXT NOT NULL,
    run_id TEXT NOT NULL,
    caller TEXT NOT NULL,
    prompt BLOB NOT NULL,
    fence INTEGER NOT NULL,
    boot TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    -- JSON.
    run TEXT NOT NULL,
    begun_at INTEGER NOT NULL,
    finished_at INTEGER,
    PRIMARY KEY (tenant, run_id)
) STRICT;

INSERT INTO agent_claim (tenant, key, digest, fence, state, boot, lease_until, tool, run_id, call_id, caller, claimed_at,
    settled_at, value)
VALUES ('t', 'a7056b7242a78d34400993bb26ec6ddfd97392a3a059371085795d80a65ed9cd',
    x'0101010101010101010101010101010101010101010101010101010101010101', 1, 1, 'b', 1, 'tool', 'r', 'c', 'u', 1, 2,
    '"done"');

CREATE TABLE agent_fence (last INTEGER NOT NULL) STRICT;
INSERT INTO agent_fence (last) VALUES (5);
