// How fast the provider of one organization may ask: a full synchronization is thousands of requests in a row.
import { rateLimited } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import { limits } from "./schema.ts";

interface Bucket {
  left: number;
  atMs: number;
}

const byWorld = new WeakMap<World["db"], Map<string, Bucket>>();
const bucketsMax = 10_000;

/** Rule SCM19: on this process; a server of several takes as many times as much. */
export function expectPace({ db, clock }: World, organizationId: string): void {
  let buckets = byWorld.get(db);
  if (buckets === undefined) byWorld.set(db, (buckets = new Map()));
  const nowMs = clock.monotonicMs();
  const { requestsAtOnceMax: most, requestsPerSecond: perSecond } = limits;
  const before = buckets.get(organizationId) ?? { left: most, atMs: nowMs };
  const left = Math.min(most, before.left + ((nowMs - before.atMs) / 1000) * perSecond);
  if (left < 1)
    throw rateLimited(
      `SCIM takes ${perSecond} requests a second of one organization, and ${most} at once. Go on in a second.`,
      1,
    );
  if (buckets.size >= bucketsMax) buckets.clear();
  buckets.set(organizationId, { left: left - 1, atMs: nowMs });
}
