// A conversation that fell back stays with the model that served it, for about an hour, on every process.
import { parseExactly } from "../../kernel/base/exact-json.ts";
import type { Failure } from "../../kernel/base/failure.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import type { Statement } from "../../kernel/sql/statement.ts";
import { asBlocks, isThinking } from "./blocks.ts";
import { digest, canonicalContent } from "./canonical.ts";
import { checkEcho, cleanedRuns, skeletonOf } from "./echo.ts";
import type { Block, MessageBody } from "./types.ts";
import { limits } from "./limits.ts";
import { hopTo, type Hop, type HopPlan } from "./plan.ts";
import { findRoutes, upsertRoute } from "./queries.ts";

/** The conversation up to one user turn. */
export interface StickyPrefix {
  key: string;
  /** The first message after it: the answer to this turn, where there is one. */
  end: number;
}

export interface StickyRoute {
  prefix: StickyPrefix;
  /** The id of the model that served it. */
  target: string;
  /** Skeletons of the answers that this turn has had. */
  skeletons: readonly (readonly string[])[];
}

/** Whether this request has any use for sticky rows: one without asks nothing of the database. */
export const usesSticky = (body: MessageBody, plan: HopPlan): boolean =>
  plan.hops.length > 1 ||
  body.messages.some(
    ({ role, content }) =>
      role === "assistant" && typeof content !== "string" && mayBeTwoModels(content),
  );

/** A boundary, or thinking in more than one block, between which one may have stood. */
const mayBeTwoModels = (content: readonly Block[]): boolean =>
  content.some(({ type }) => type === "fallback") || content.filter(isThinking).length > 1;

/**
 * The prefixes at all user turns, shortest first; one key after the other, so that all cost one pass. Of the
 * body as it was sent.
 */
export function stickyPrefixesOf(
  organizationId: string,
  requestedModelId: string,
  body: MessageBody,
): StickyPrefix[] {
  const prefixes: StickyPrefix[] = [];
  const system = body.system === undefined ? null : asBlocks(body.system);
  let key = digest(canonicalContent(["sticky", organizationId, requestedModelId, system]));
  for (const { assistant, turns, end } of cleanedRuns(body.messages)) {
    const blocks = turns.flatMap(({ role, content }) =>
      asBlocks(content)
        .filter((block) => !isThinking(block))
        .map((block) => [role, block]),
    );
    if (blocks.length === 0) continue;
    key = digest(key + canonicalContent(blocks));
    if (!assistant) prefixes.push({ key, end });
  }
  return prefixes.slice(-limits.stickyTurnsMax);
}

/** One query; the longest prefix first. */
export async function stickyLookup(
  queries: Queryable,
  organizationId: string,
  prefixes: readonly StickyPrefix[],
  now: Date,
): Promise<StickyRoute[]> {
  if (prefixes.length === 0) return [];
  const keys = prefixes.map(({ key }) => key);
  const rows = await findRoutes(queries, organizationId, keys, now);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return prefixes.toReversed().flatMap((prefix): StickyRoute[] => {
    const row = byKey.get(prefix.key);
    if (row === undefined) return [];
    const skeletons = parseExactly(row.skeleton) as string[][];
    return [{ prefix, target: row.target, skeletons }];
  });
}

/** Where this request starts; undefined: at the requested model. */
export function stickyHop(plan: HopPlan, routes: readonly StickyRoute[]): Hop | undefined {
  for (const { target } of routes) {
    const hop = hopTo(plan, target);
    if (hop !== undefined) return hop;
  }
  return undefined;
}

/** The 400 of a conversation in which a boundary was moved; with a credit token there is none. */
export function echoFailure(
  body: MessageBody,
  plan: HopPlan,
  routes: readonly StickyRoute[],
): Failure | undefined {
  const token = body["fallback_credit_token"];
  if (token !== undefined && token !== null) return undefined;
  for (const { prefix, skeletons } of routes) {
    const strict = plan.mode !== "none";
    const failure = checkEcho(body.messages, prefix.end, skeletons, { strict });
    if (failure !== undefined) return failure;
  }
  return undefined;
}

export interface ServedAnswer {
  organizationId: string;
  body: MessageBody;
  prefixes: readonly StickyPrefix[];
  /** The fallback that served. */
  hop: Hop;
  /** The whole answer, as the client has it. */
  content: readonly Block[];
  stopReason: string | null;
  now: Date;
}

/** The row that commits with the close of the ledger; none after a refusal, and none behind a prefill. */
export function stickyStatement(served: ServedAnswer): Statement | undefined {
  const last = served.prefixes.at(-1);
  const isAnswer = last?.end === served.body.messages.length;
  if (last === undefined || !isAnswer || served.hop.index === 0 || served.stopReason === "refusal")
    return undefined;
  return upsertRoute(
    served.organizationId,
    {
      key: last.key,
      target: served.hop.model.id,
      skeleton: JSON.stringify([skeletonOf(served.content, served.stopReason)]),
    },
    new Date(served.now.getTime() + limits.stickyMs),
  );
}
