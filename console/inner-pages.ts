// Pages that no list of pages shows: of one thing, or on the way to one.
import type { PageEntry } from "./page-entry.ts";

/** Each is for whom the page is that it belongs to. */
export const innerPages: readonly (Pick<PageEntry, "path" | "load"> & { of: string })[] = [
  { path: "/batches/new", of: "/batches", load: () => import("./batches/new/new-batch-page.tsx") },
  { path: "/batches/$id", of: "/batches", load: () => import("./batches/batch-page.tsx") },
  {
    path: "/agents/new",
    of: "/agents",
    load: () => import("./agents/editor/new-agent-page.tsx"),
  },
  { path: "/agents/$id", of: "/agents", load: () => import("./agents/agent-page.tsx") },
  {
    path: "/agents/$id/edit",
    of: "/agents",
    load: () => import("./agents/editor/edit-agent-page.tsx"),
  },
  {
    path: "/agents/$id/compare",
    of: "/agents",
    load: () => import("./agents/versions/compare-page.tsx"),
  },
  {
    path: "/sessions/new",
    of: "/sessions",
    load: () => import("./sessions/begin/new-session-page.tsx"),
  },
  {
    path: "/sessions/$id",
    of: "/sessions",
    load: () => import("./sessions/page/session-page.tsx"),
  },
  {
    path: "/deployments/new",
    of: "/deployments",
    load: () => import("./deployments/new-deployment-page.tsx"),
  },
  {
    path: "/deployments/runs",
    of: "/deployments",
    load: () => import("./deployments/runs-page.tsx"),
  },
  {
    path: "/deployments/$id",
    of: "/deployments",
    load: () => import("./deployments/deployment-page.tsx"),
  },
  {
    path: "/deployments/$id/edit",
    of: "/deployments",
    load: () => import("./deployments/edit-deployment-page.tsx"),
  },
  {
    path: "/environments/$id",
    of: "/environments",
    load: () => import("./environments/environment-page.tsx"),
  },
  { path: "/vaults/$id", of: "/vaults", load: () => import("./vaults/vault-page.tsx") },
  {
    path: "/mcp-servers/$id",
    of: "/mcp-servers",
    load: () => import("./mcp-servers/mcp-server-page.tsx"),
  },
  { path: "/skills/$id", of: "/skills", load: () => import("./skills/skill-page.tsx") },
  { path: "/requests/$id", of: "/requests", load: () => import("./requests/request-page.tsx") },
  { path: "/keys/$id", of: "/keys", load: () => import("./keys/key-page.tsx") },
  { path: "/members/$id", of: "/members", load: () => import("./members/member-page.tsx") },
  { path: "/models/$id", of: "/models", load: () => import("./models/model-page.tsx") },
  {
    path: "/workspaces/$id",
    of: "/workspaces",
    load: () => import("./workspaces/workspace-page.tsx"),
  },
  { path: "/groups/$id", of: "/groups", load: () => import("./groups/group-page.tsx") },
  {
    path: "/service-accounts/$id",
    of: "/service-accounts",
    load: () => import("./service-accounts/service-account-page.tsx"),
  },
  {
    path: "/federation/$id",
    of: "/federation",
    load: () => import("./federation/rules/federation-rule-page.tsx"),
  },
  { path: "/webhooks/$id", of: "/webhooks", load: () => import("./webhooks/webhook-page.tsx") },
  { path: "/memory/$id", of: "/memory", load: () => import("./memory/memories/store-page.tsx") },
  {
    path: "/memory/$id/history",
    of: "/memory",
    load: () => import("./memory/versions/memory-history-page.tsx"),
  },
  {
    path: "/memory/$id/history/$version",
    of: "/memory",
    load: () => import("./memory/versions/memory-version-page.tsx"),
  },
];
