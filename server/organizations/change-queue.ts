// Changes of one organization lock the same few rows: its membership, its budget, the end of its audit chain.
import type { Principal, World } from "../../kernel/context.ts";
import { makeKeyedQueues, type KeyedQueues } from "../../kernel/base/keyed-queues.ts";
import { isSchema, type Route } from "../../kernel/http/route.ts";
import { limits } from "./schema.ts";

/** Of this process, by database. */
const byDatabase = new WeakMap<World["db"], KeyedQueues>();

/** Rule ORG9: so few of one organization at once that connections are left for the others. */
export function queueChange<T>(
  { db }: Pick<World, "db">,
  organizationId: string,
  work: () => Promise<T> | T,
): Promise<T> {
  let lines = byDatabase.get(db);
  if (lines === undefined) byDatabase.set(db, (lines = makeKeyedQueues(limits.changesAtOnce)));
  return lines.run(organizationId, work);
}

/** For the way of a request: those that change something about an organization take turns. */
export const makeChangeQueue =
  (world: Pick<World, "db">) =>
  <T>(route: Route, { organizationId }: Principal, handle: () => Promise<T> | T) =>
    isChange(route) ? queueChange(world, organizationId, handle) : handle();

/** JSON for JSON: streams and files take as long as they must, and nobody waits for them. */
const isChange = ({ method, path, body, reply }: Route): boolean =>
  method !== "GET" &&
  /^\/(v1\/organizations|console\/api|scim)\//.test(path) &&
  (body === undefined || isSchema(body)) &&
  (reply === "none" || isSchema(reply));
