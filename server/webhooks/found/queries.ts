// Webhook endpoints, of the organization and of workspaces, and their deliveries as they are found.
import { sql, type Statement } from "../../../kernel/sql/statement.ts";
import type { Found, Searchable } from "../../../kernel/http/searchable.ts";

const endpoints = (whose: Statement) => sql`
  select id, coalesce(nullif(name, ''), url) as name, workspace_id, null::text as part_of,
    state as detail, coalesce(workspace_id, organization_id) as place, name as words
  from webhook_endpoints
  where ${whose}`;

const deliveries = (whose: Statement) => sql`
  select delivery.id, delivery.event_type as name, endpoint.workspace_id,
    delivery.endpoint_id as part_of, delivery.state as detail,
    coalesce(endpoint.workspace_id, endpoint.organization_id) as place, null::text as words
  from webhook_deliveries as delivery
  join webhook_endpoints as endpoint on endpoint.id = delivery.endpoint_id
  where ${whose}`;

const ofOrganization = {
  permission: "webhooks:read",
  organizations: ["platform", "enterprise"],
  operation: "webhooks.retrieve",
  within: "organization",
} as const;
const ofWorkspaces = {
  permission: "workspace_webhooks:use",
  operation: "workspace_webhooks.retrieve",
  within: "workspaces",
} as const;

/** The page shows an endpoint of the organization where its address says nothing else. */
const pageOf = (id: string | null, { workspace_id: workspace }: Found) =>
  `/webhooks/${id}${workspace === null ? "" : "?of=workspace"}`;

const endpointsOf = (facts: typeof ofOrganization | typeof ofWorkspaces, whose: Statement) => ({
  ...facts,
  type: "webhook_endpoint",
  idPrefix: "whep_",
  isNamed: true,
  page: (found: Found) => pageOf(found.id, found),
  rows: () => endpoints(whose),
});

const deliveriesOf = (facts: typeof ofOrganization | typeof ofWorkspaces, whose: Statement) => ({
  ...facts,
  type: "webhook_delivery",
  idPrefix: "whdl_",
  page: (found: Found) => pageOf(found.part_of, found),
  rows: () => deliveries(whose),
});

export const searchables: readonly Searchable[] = [
  endpointsOf(ofOrganization, sql`workspace_id is null`),
  endpointsOf(ofWorkspaces, sql`workspace_id is not null`),
  deliveriesOf(ofOrganization, sql`endpoint.workspace_id is null`),
  deliveriesOf(ofWorkspaces, sql`endpoint.workspace_id is not null`),
];
