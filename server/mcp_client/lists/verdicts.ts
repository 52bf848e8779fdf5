// Which revision a server speaks, as this process knows it from an earlier connection: another need not ask (MCP34).
import { createHash } from "node:crypto";
import type { Client, PriorDiscovery } from "@modelcontextprotocol/client";
import { RecentMap } from "../../../kernel/base/recent-map.ts";
import type { World } from "../../../kernel/context.ts";
import { part } from "../../../kernel/work/parts.ts";
import { limits } from "../limits.ts";
import type { ServerAddress } from "../wire.ts";

type Asked = Pick<ServerAddress, "url" | "authorization">;

/** Of 2024-11-05, with a transport of its own. */
export const oldServer = { kind: "old" } as const;
export type Known = PriorDiscovery | typeof oldServer;

interface Verdict {
  prior: Known;
  /** By the monotonic clock. */
  untilMs: number;
}

export const verdictsPart = part("what MCP servers speak", {
  make: (_world: World) => new RecentMap<string, Verdict>(limits.verdictsMax),
});

/** A server may tell who has a token something else. */
const keyOf = ({ url, authorization = "" }: Asked): string =>
  createHash("sha256")
    .update(JSON.stringify([url, authorization]))
    .digest("base64url");

export function recallVerdict(world: World, address: Asked): Known | undefined {
  const verdict = verdictsPart.of(world).get(keyOf(address));
  return verdict !== undefined && world.clock.monotonicMs() < verdict.untilMs
    ? verdict.prior
    : undefined;
}

export function forgetVerdict(world: World, address: Asked): void {
  verdictsPart.of(world).delete(keyOf(address));
}

/** From a client that has just negotiated. */
export function learnVerdict(world: World, address: Asked, client: Client, isOld: boolean): void {
  const discover = client.getDiscoverResult();
  if (JSON.stringify(discover ?? null).length > limits.discoverCharactersMax) return;
  const ttlMs = boundedTtl(discover?.ttlMs, limits.verdictMs);
  const prior: Known = isOld
    ? oldServer
    : discover === undefined
      ? { kind: "legacy" }
      : { kind: "modern", discover };
  const untilMs = world.clock.monotonicMs() + (ttlMs ?? limits.verdictMs.default);
  verdictsPart.of(world).set(keyOf(address), { prior, untilMs });
}

/** Undefined where a server says nothing of use: 0 is what official servers say unless they are told otherwise. */
export const boundedTtl = (
  ttlMs: unknown,
  { min, max }: { min: number; max: number },
): number | undefined =>
  typeof ttlMs === "number" && ttlMs > 0 ? Math.min(Math.max(ttlMs, min), max) : undefined;
