// Changes of one organization lock the same few rows: its membership, its budget, the end of its audit chain.
import type { Principal, World } from "../../kernel/context.ts";
import { makeKeyedQueues, type KeyedQueues } from "../../kernel/base/keyed-queues.ts";
import { isSchema, type Route } from "../../kernel/http/route.ts";
import { limits } from "./schema.ts";

/** The queues of this process, by database. */
const byDatabase = new WeakMap<World["db"], KeyedQueues>();

/** Rule ORG9: at most so many changes of one organization at once, so that connections are left for the others. */
export function queueChange<T>(
  { db }: Pick<World, "db">,
  organizationId: string,
  work: () => Promise<T> | T,
): Promise<T> {
  let queues = byDatabase.get(db);
  if (queues === undefined) byDatabase.set(db, (queues = makeKeyedQueues(limits.changesAtOnce)));
  return queues.run(organizationId, work);
}

/** For the dispatcher: requests that change something of an organization queue; all others run at once. */
export const makeChangeQueue =
  (world: Pick<World, "db">) =>
  <T>(route: Route, { organizationId }: Principal, handle: () => Promise<T> | T) =>
    isChange(route) ? queueChange(world, organizationId, handle) : handle();

/** JSON in, JSON out: streams and files may take long, and no other request should wait for them. */
const isChange = ({ method, path, body, reply }: Route): boolean =>
  method !== "GET" &&
  /^\/(v1\/organizations|console\/api|scim)\//.test(path) &&
  (body === undefined || isSchema(body)) &&
  (reply === "none" || isSchema(reply));
