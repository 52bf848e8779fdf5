// What people see of the packages of an environment.
import { notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { findEnvironment } from "../../environments/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { layerName, packagesOf } from "./managers.ts";
import * as queries from "./queries.ts";
import type { PackageLayer } from "./schema.ts";

/** One on each machine that has needed it, the one that was used last first. */
export async function listLayers(
  context: Context,
  environmentId: string,
): Promise<{ data: PackageLayer[] }> {
  const environment = await findEnvironment(context.db, workspaceOf(context), environmentId);
  if (environment === undefined) throw notFound("environment", environmentId);
  const packages = packagesOf(environment.config);
  if (packages === undefined) return { data: [] };
  const rows = await queries.listOfName(context.db, layerName(context, packages));
  return { data: rows.map(present) };
}

const present = (row: queries.LayerRow): PackageLayer => ({
  type: "package_layer",
  host_id: row.hostId,
  state: row.state,
  manager: row.manager,
  words: row.words,
  bytes: row.bytes,
  began_at: row.beganAt?.toISOString() ?? null,
  ended_at: row.endedAt?.toISOString() ?? null,
  used_at: row.usedAt.toISOString(),
});
