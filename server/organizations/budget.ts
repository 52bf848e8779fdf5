// Rules ORG5 to ORG8 and ORG10: how often an organization may be administered over the API.
import { makeKeyedQueues } from "../../kernel/base/keyed-queues.ts";
import { rateLimited } from "../../kernel/base/failure.ts";
import type { Principal, World } from "../../kernel/context.ts";
import type { Route } from "../../kernel/http/route.ts";
import * as queries from "./queries-budget.ts";
import { limits } from "./limits.ts";
import { requestBudgetsOf, type RequestBudget } from "./settings.ts";

/** Counts a request once its caller is known and before anything else is looked at, or refuses it. */
export function makeAdministrationBudget(
  world: Pick<World, "db" | "clock" | "sections"> & Partial<Pick<World, "instruments">>,
) {
  const { db, clock } = world;
  const refusals = world.instruments?.limitRefusals.with("administration", "organization");
  const spent = (budget: RequestBudget, waitMs: number) => {
    refusals?.inc();
    return budgetSpent(budget, waitMs);
  };
  const { requests, refused, invites } = requestBudgetsOf(world);
  /** Of this process: until then the database would refuse anyway. */
  const spentUntilMs = new Map<string, number>();

  /** One at a time, each on the row that the one before has left; refusals by this process never reach the database. */
  const { run } = makeKeyedQueues(1);
  const take = (organizationId: string, budget: RequestBudget): Promise<void> => {
    const key = `${organizationId} ${budget.name}`;
    return run(key, () => ask(organizationId, budget, key));
  };

  async function ask(organizationId: string, budget: RequestBudget, key: string): Promise<void> {
    const askedMs = clock.monotonicMs();
    const knownMs = (spentUntilMs.get(key) ?? 0) - askedMs;
    if (knownMs > 0) throw spent(budget, knownMs);
    spentUntilMs.delete(key);
    const waitMs = await queries.admitRequest(db, organizationId, budget);
    if (waitMs === 0) return;
    if (spentUntilMs.size >= limits.budgetsRememberedMax) spentUntilMs.clear();
    // From when the database was asked, not from when it answered: no caller is refused for longer than necessary.
    spentUntilMs.set(key, askedMs + waitMs);
    throw spent(budget, waitMs);
  }

  /** When the last refused requests of each organization came: the database need not know of them. */
  const refusedMs = new Map<string, number[]>();
  function countRefused(organizationId: string): void {
    const now = clock.monotonicMs();
    const { requestsMax, windowMs } = refused;
    const before = (refusedMs.get(organizationId) ?? []).filter((atMs) => atMs > now - windowMs);
    const waitMs = (before[before.length - requestsMax] ?? -Infinity) + windowMs - now;
    if (refusedMs.size >= limits.budgetsRememberedMax) refusedMs.clear();
    refusedMs.set(organizationId, waitMs > 0 ? before : [...before, now]);
    if (waitMs > 0) throw spent(refused, waitMs);
  }

  return (route: Pick<Route, "method" | "path">, who: Principal): Promise<void> | undefined => {
    if (who.kind === "console" || !route.path.startsWith(administration)) return undefined;
    if (!who.permissions.has(leastOfAdministration)) {
      countRefused(who.organizationId);
      return undefined;
    }
    const isInvite = route.method === "POST" && route.path === inviteCreation;
    return take(who.organizationId, isInvite ? invites : requests);
  };
}

/** Every credential that administers anything has it, whatever its scopes; keys of workspaces have not. */
const leastOfAdministration = "organization:read";
const administration = "/v1/organizations/";
const inviteCreation = "/v1/organizations/invites";

const budgetSpent = ({ words }: Pick<RequestBudget, "words">, waitMs: number) =>
  rateLimited(
    `This organization has used up its ${words}. Wait as long as the retry-after header says; the console is not counted.`,
    waitMs / 1000,
  );
