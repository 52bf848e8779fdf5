// Changes of one organization lock the same few rows: its membership, its budget, the end of its audit chain.
import type { Principal, World } from "../../kernel/context.ts";
import { makeKeyedQueues } from "../../kernel/base/keyed-queues.ts";
import { isSchema, type Route } from "../../kernel/http/route.ts";
import { part } from "../../kernel/work/parts.ts";
import { limits } from "./limits.ts";

/** By organization. */
export const changeQueuesPart = part("queues of changes", {
  make: () => makeKeyedQueues(limits.changesAtOnce),
});

/** Rule ORG9: at most so many changes of one organization at once, so that connections are left for the others. */
export const queueChange = <T>(
  world: Pick<World, "db">,
  organizationId: string,
  work: () => Promise<T> | T,
): Promise<T> => changeQueuesPart.of(world).run(organizationId, work);

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
