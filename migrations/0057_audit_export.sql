-- What the audit log is told to: webhook endpoints of an organization, and the export of the installation.

-- Up to which event of its organization's chain an endpoint was told; null of one that is not told of them.
alter table webhook_endpoints add column audit_sequence bigint;
create index webhook_endpoints_of_audit on webhook_endpoints (id) where audit_sequence is not null;

-- An export by its name: one process has it, and what it said last of how it goes.
create table audit_exports (
  name text collate "C" primary key,
  lease_owner text,
  lease_epoch bigint not null default 0,
  lease_until timestamptz,
  written_at timestamptz,
  -- Null while the last attempt went well.
  failing_since timestamptz,
  error text
);
alter table audit_exports alter column error set statistics 0;

-- How far it has come in each chain: everything up to that number is there.
create table audit_export_cursors (
  name text collate "C" not null references audit_exports (name) on delete cascade,
  organization_id text collate "C" not null,
  sequence bigint not null,
  primary key (name, organization_id)
) with (fillfactor = 50);
