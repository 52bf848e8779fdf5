// Fills an organization by plain statements: members, invites, groups, workspaces, keys and events.
import type { Database } from "../../kernel/sql/database.ts";

export interface Counts {
  members: number;
  groups: number;
  events: number;
}

const eventsAtOnce = 5_000;

/** `$1` is the organization, `$2` how many, `$3` what its ids have in them. */
const fillings: [of: keyof Counts, text: string][] = [
  [
    "members",
    `insert into users (id, organization_id, email, email_key, name, role, added_at)
     select 'user_' || $3 || lpad(n::text, 8, '0'), $1, 'p' || n || '@bench.example',
       'p' || n || '@bench.example', 'Person ' || n, 'user', now()
     from generate_series(1, $2::int) as n`,
  ],
  [
    "groups",
    `insert into invites (id, organization_id, email, email_key, role, rbac_group_ids, status,
       invited_at, expires_at)
     select 'invite_' || $3 || lpad(n::text, 8, '0'), $1, 'i' || n || '@bench.example',
       'i' || n || '@bench.example', 'user', '{}', 'pending', now(), now() + interval '21 days'
     from generate_series(1, $2::int) as n`,
  ],
  [
    "groups",
    `insert into rbac_groups (id, organization_id, name, source_type, created_at, updated_at)
     select 'rbac_group_' || $3 || lpad(n::text, 8, '0'), $1, 'Group ' || n, 'direct', now(), now()
     from generate_series(1, $2::int) as n`,
  ],
  [
    "members",
    `insert into rbac_group_members (group_id, user_id, organization_id, created_at)
     select 'rbac_group_' || $3 || '00000001', 'user_' || $3 || lpad(n::text, 8, '0'), $1, now()
     from generate_series(1, $2::int) as n`,
  ],
  [
    "groups",
    `insert into workspaces (id, organization_id, name, is_default, created_at)
     select 'wrkspc_' || $3 || lpad(n::text, 8, '0'), $1, 'Workspace ' || n, false, now()
     from generate_series(1, $2::int) as n`,
  ],
  [
    "groups",
    `insert into keys (id, organization_id, workspace_id, kind, name, secret_sha256, hint, scopes,
       status, created_at)
     select 'apikey_' || $3 || lpad(n::text, 8, '0'), $1, null, 'admin', 'Key ' || n,
       sha256(convert_to($3 || n, 'UTF8')), 'sk', '{}', 'active', now()
     from generate_series(1, $2::int) as n`,
  ],
];

export async function fill(
  db: Database,
  organizationId: string,
  mark: string,
  counts: Counts,
): Promise<void> {
  for (const [of, text] of fillings)
    await db.query({ text, values: [organizationId, counts[of], mark] });
  for (let from = 0; from < counts.events; from += eventsAtOnce)
    await db.query({
      text: appending,
      values: [organizationId, from + 1, Math.min(counts.events, from + eventsAtOnce), mark],
    });
}

const appending = `select audit_append($1, (select jsonb_agg(jsonb_build_object(
    'id', 'audit_' || $4 || lpad(n::text, 9, '0'),
    'at', '2026-01-01T00:00:00Z'::timestamptz + n * interval '20 seconds',
    'action', (array['key.created', 'key.renamed', 'file.uploaded', 'user.signed_in'])[1 + n % 4],
    'actor_type', 'user', 'actor_id', 'user_' || (n % 500), 'actor_name', 'Person ' || (n % 500),
    'target_type', 'key', 'target_id', 'key_' || (n % 9000), 'address', '10.0.0.' || (n % 200),
    'request_id', 'req_' || n, 'details', jsonb_build_object('name', 'thing ' || (n % 1000)),
    'words', jsonb_build_array($1::text, 'thing', 'thing' || (n % 10000))) order by n)
  from generate_series($2::int, $3::int) as n))`;
