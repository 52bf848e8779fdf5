// Whose webhooks a page shows: it stands in the address, and follows from what this person may see.
import { useSearchState } from "../kit/page/search.ts";
import { useMe } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { auditEvent } from "./event-words.ts";
import type { Endpoint, Whose } from "./webhooks.ts";

const typesWithOwn: readonly string[] = ["platform", "enterprise"];

export function useWhose() {
  const { permissions, organization } = useMe();
  const { id: workspace, search: home } = useWorkspace();
  const [{ of }] = useSearchState();
  const hasOwn = typesWithOwn.includes(organization.type) && permissions.includes("webhooks:read");
  const worksHere = permissions.includes("workspace_webhooks:use");
  const isWorkspaces = worksHere && (of === "workspace" || !hasOwn);
  const whose: Whose = isWorkspaces ? { of: "workspace", workspace } : { of: "organization" };
  const mayWrite = isWorkspaces || permissions.includes("webhooks:write");
  return {
    whose,
    mayWrite,
    /** One that is told of the audit log is changed by those alone who may read it. */
    mayChange: ({ enabled_events: types }: Endpoint) =>
      mayWrite && (permissions.includes("audit:read") || !types.includes(auditEvent)),
    /** There are both, and the person chooses. */
    hasChoice: hasOwn && worksHere,
    /** What of it belongs into the address of another page. */
    search: isWorkspaces ? { ...home, of: "workspace" } : {},
  };
}
