-- The chain of the audit log, and the budget of administration.

-- When the last requests of administration were let in: one row decides for all processes.
create table administration_budgets (
  organization_id text collate "C" not null,
  name text not null check (name in ('requests', 'invites')),
  admitted timestamptz[] not null,
  -- Of the last one who asked: how long until there is room; 0 when it was let in.
  wait_ms double precision not null,
  primary key (organization_id, name)
);
