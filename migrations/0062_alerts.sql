-- Alerts: what an organization is told of, and since when it is so. What has no row in alert_rules is as by default; so
-- is each number of a row that is null.
create table alert_rules (
  organization_id text collate "C" not null references organizations (id),
  kind text collate "C" not null check (kind in ('spend', 'error_share', 'upstream_down', 'job_backlog')),
  is_on boolean not null,
  percents integer[],
  percent integer,
  minutes integer,
  requests_min integer,
  failures_min integer,
  updated_at timestamptz not null,
  primary key (organization_id, kind)
);

-- Whom an organization's alerts are mailed to, and the last mail that no mail server took.
create table alert_settings (
  organization_id text collate "C" primary key references organizations (id),
  mails_administrators boolean not null,
  mail_to text[] not null,
  mail_failed_at timestamptz,
  mail_error text,
  updated_at timestamptz not null
);

create table alerts (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  kind text collate "C" not null,
  subject_type text collate "C" not null
    check (subject_type in ('organization', 'workspace', 'user', 'upstream', 'jobs', 'batches')),
  -- Of a workspace, a person or an upstream; else empty.
  subject_id text collate "C" not null,
  -- Of a spend limit; else empty.
  period text collate "C" not null,
  -- Of a spend limit the percent, each of which is an alert of its own; else 0.
  level integer not null,
  value double precision not null,
  threshold double precision not null,
  firing_since timestamptz not null,
  -- Since when it holds no more, while it may come back.
  well_since timestamptz,
  resolved_at timestamptz,
  resolution text collate "C" check (resolution in ('well', 'rule_off', 'silent')),
  check ((resolved_at is null) = (resolution is null))
) with (fillfactor = 80);
create unique index alerts_firing
  on alerts (organization_id, kind, subject_type, subject_id, period, level) where resolved_at is null;
create index alerts_by_organization on alerts (organization_id, id desc);
create index alerts_open on alerts (organization_id, id desc) where resolved_at is null;
create index alerts_resolved on alerts (organization_id, id desc) where resolved_at is not null;
create index alerts_to_sweep on alerts (resolved_at) where resolved_at is not null;

-- Which of the requests failed by the server or an upstream: errors counts those of the clients, too.
alter table request_minutes add column failed bigint not null default 0;
create index request_minutes_failed on request_minutes (minute, organization_id) where failed > 0;

-- Upstreams that failed lately are found among all organizations; what was answered is not written into it.
create index upstream_minutes_failed on upstream_minutes (minute, organization_id, upstream) where outcome = 'failed';

-- When a spend limit last refused a request, in which period, and what the limit was then.
create table spend_refusals (
  organization_id text collate "C" not null,
  holder_id text collate "C" not null,
  period_key text collate "C" not null,
  limit_nano bigint not null,
  refused_at timestamptz not null,
  primary key (organization_id, holder_id, period_key)
) with (fillfactor = 50);
create index spend_refusals_by_time on spend_refusals (refused_at);

alter table alerts alter column resolution set statistics 0;
alter table spend_refusals alter column period_key set statistics 0;
alter table alert_settings
  alter column mail_to set statistics 0,
  alter column mail_error set statistics 0;
