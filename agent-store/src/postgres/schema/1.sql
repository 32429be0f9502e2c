-- Fences of claims and of runs: each is given once.
CREATE SEQUENCE agent_fence AS bigint;

-- Who claimed which effect, and how it ended. `state`: 0 running, 1 settled, 2 unknown.
CREATE TABLE agent_claim (
    tenant text NOT NULL,
    key text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    fence bigint NOT NULL DEFAULT nextval('agent_fence'),
    state smallint NOT NULL,
    -- Of the try that made the claim, so that one whose answer was lost finds it again.
    nonce bigint NOT NULL,
    lease_until timestamptz NOT NULL,
    tool text NOT NULL,
    run_id text NOT NULL,
    call_id text NOT NULL,
    caller text NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    settled_at timestamptz,
    -- JSON as it was written; null in a settled claim whose value could not be.
    value text,
    cause text,
    PRIMARY KEY (tenant, key)
) WITH (fillfactor = 70);

CREATE TABLE agent_claim_audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL,
    key text COLLATE "C" NOT NULL,
    fence bigint NOT NULL,
    tool text NOT NULL,
    run_id text NOT NULL,
    call_id text NOT NULL,
    caller text NOT NULL,
    claimed_at timestamptz NOT NULL,
    cause text,
    settled boolean NOT NULL,
    value text,
    who text NOT NULL,
    why text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX agent_claim_audit_by_tenant ON agent_claim_audit (tenant, id);

CREATE TABLE agent_run (
    tenant text NOT NULL,
    -- Ordered by bytes, wherever the database is.
    run_id text COLLATE "C" NOT NULL,
    caller text NOT NULL,
    prompt bytea NOT NULL,
    fence bigint NOT NULL DEFAULT nextval('agent_fence'),
    lease_until timestamptz NOT NULL,
    -- JSON as it was written.
    run text NOT NULL,
    begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at timestamptz,
    PRIMARY KEY (tenant, run_id)
);
