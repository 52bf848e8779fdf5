-- The tables of cache and sticky rows.

-- Where a conversation that fell back goes on, by the digest of its prefix. Gone after about an hour: no
-- foreign key, so that a write locks nothing else.
create table sticky_routes (
  organization_id text collate "C" not null,
  key text collate "C" not null,
  target text not null,
  -- The answer's block types and short digests, as JSON: shows a boundary that was moved. Never text.
  skeleton text not null,
  expires_at timestamptz not null,
  primary key (organization_id, key)
);
create index sticky_routes_by_expiry on sticky_routes (expires_at);

-- Prefixes of prompts that are cached, where the upstream tells of no cache of its own. A key is the model, the effort as
-- it was sent, and a hash over all that comes before the breakpoint. Nothing is lost that matters when rows are: a
-- prefix that is not found is written again.
create table prompt_cache (
  workspace_id text collate "C" not null,
  key text collate "C" not null,
  ttl_seconds integer not null check (ttl_seconds > 0),
  expires_at timestamptz not null,
  primary key (workspace_id, key)
);
create index prompt_cache_by_end on prompt_cache (expires_at);
