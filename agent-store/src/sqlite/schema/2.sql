-- Fences count up in the file, so that a clock that is set back gives none a second time. The first one is above all that
-- version 1 gave, which took them from the wall clock.
CREATE TABLE agent_fence (last INTEGER NOT NULL) STRICT;
INSERT INTO agent_fence (last)
SELECT max(
    CAST(unixepoch('subsec') * 1000000 AS INTEGER),
    (SELECT coalesce(max(fence), 0) FROM agent_claim),
    (SELECT coalesce(max(fence), 0) FROM agent_run)
);

-- Released claims were kept for their fences alone.
DELETE FROM agent_claim WHERE state = 3;
