// Rule WSP4: where a request of a workspace may be answered.
import { invalid } from "../../kernel/base/failure.ts";
import type { Actor } from "../../kernel/context.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { workspaceOf } from "./usable-workspace.ts";
import { findWorkspace } from "./queries.ts";

/** Called only where a request names a region; the workspace's default region is always allowed. */
export async function expectAllowedGeo(
  actor: Actor,
  geo: string,
  { on = actor.db, field = "inference_geo" }: { on?: Queryable; field?: string } = {},
): Promise<void> {
  const id = workspaceOf(actor);
  const workspace = await findWorkspace(on, actor.who.organizationId, id);
  const allowed: readonly string[] | null = workspace?.allowed_inference_geos ?? null;
  if (allowed === null || allowed.includes(geo)) return;
  throw invalid(
    `${field}: ${JSON.stringify(geo.slice(0, 40))} is not allowed in the workspace ${id}, which allows ${allowed.join(", ")}; name one of them or leave it out.`,
  );
}
