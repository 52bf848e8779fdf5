-- Where an organization wants to be told of events, and what is on its way there.

create table webhook_endpoints (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  name text not null,
  description text not null,
  url text not null,
  enabled_events text[] not null,
  state text not null check (state in ('enabled', 'disabled')),
  -- Of one that the server itself disabled; empty of any other.
  disabled_reason text not null,
  -- Sealed.
  signing_secret text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index webhook_endpoints_by_organization on webhook_endpoints (organization_id, id desc);

-- One event for one endpoint: what is posted, the same at every attempt, and how it went.
create table webhook_deliveries (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  endpoint_id text collate "C" not null references webhook_endpoints (id) on delete cascade,
  event_id text collate "C" not null,
  event_type text not null,
  is_test boolean not null,
  body text not null,
  state text not null check (state in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0,
  created_at timestamptz not null,
  attempted_at timestamptz,
  -- Null as well of one that waits for its endpoint to be enabled again.
  next_attempt_at timestamptz,
  status_code integer,
  error text
);
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, id desc);
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id) where state = 'waiting';
create index webhook_deliveries_by_time on webhook_deliveries (created_at);
