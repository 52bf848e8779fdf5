// The cached prefix that a refusal leaves behind, and how it is found again in another model's counts.
import type * as fallbacks from "../../fallbacks/module.ts";
import { tokensOfBody, type MessageBody, type Usage } from "../../models/module.ts";
import { measurePrompt } from "../cache/cache.ts";
import type { AdmittedHop } from "./admitted-hop.ts";
import { bodyOfHop, type PreparedRequest } from "../prepare/prepared-request.ts";

type Breakpoints = readonly fallbacks.CacheBreakpoint[];

/** What counts as warm before this hop's cache is looked up: by the hop before it, or by a token. */
export const warmBefore = (
  { credit }: PreparedRequest,
  { warm }: Pick<AdmittedHop, "warm">,
): Breakpoints => (credit?.status === "redeemed" ? credit.warm : warm);

/** What was warm on a model that refused: read by it, or written and paid for, or warm before. In our counting. */
export function warmAfter(
  prepared: PreparedRequest,
  admitted: AdmittedHop,
  usage: Usage,
  isCharged: boolean,
): Breakpoints {
  const fromThisHop =
    admitted.cache === undefined
      ? reported(prepared, admitted, usage, isCharged)
      : counted(admitted, isCharged);
  const byHash = new Map<string, fallbacks.CacheBreakpoint>();
  for (const point of [...warmBefore(prepared, admitted), ...fromThisHop]) {
    const known = byHash.get(point.hash);
    if (known === undefined || known.tokens < point.tokens) byHash.set(point.hash, point);
  }
  return [...byHash.values()].sort((a, b) => a.tokens - b.tokens);
}

/** By this server's accounting. */
function counted({ cache }: AdmittedHop, isCharged: boolean): Breakpoints {
  if (cache === undefined) return [];
  const { plan, found } = cache;
  const read = plan.hitCandidates.find(({ key }) => found.has(key))?.tokens ?? 0;
  return plan.breakpoints
    .filter(({ tokens }) => isCharged || tokens <= read)
    .map(({ key, ttl, tokens }) => ({ hash: key.slice(key.lastIndexOf("/") + 1), ttl, tokens }));
}

/** By the upstream's numbers: they say how much was cached, and up to which mark only where nothing was written. */
function reported(
  prepared: PreparedRequest,
  admitted: AdmittedHop,
  reportedUsage: Usage,
  isCharged: boolean,
): Breakpoints {
  const { input_tokens: input, ...usage } = reportedUsage;
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  if (read + (isCharged ? written : 0) === 0) return [];
  const { prefixes, tokens } = measured(sentBodyOf(prepared, admitted));
  const marked = prefixes.flatMap(({ hash, tokens, mark: ttl }) =>
    ttl === undefined ? [] : [{ hash, ttl, tokens }],
  );
  if (marked.length > 0 && (isCharged || written === 0)) return marked;
  return [{ hash: "", ttl: "5m", tokens: (read * tokens) / (input + read + written) }];
}

const measured = (body: MessageBody) => measurePrompt(body, tokensOfBody(body));

/** What went out for a hop: made again where it was let go. */
export const sentBodyOf = (
  prepared: PreparedRequest,
  { hop, continued }: Pick<AdmittedHop, "hop" | "continued">,
) => continued ?? bodyOfHop(prepared, hop);

const measures = new WeakMap<AdmittedHop, fallbacks.PromptMeasure>();

/** A request by our own counting: what its model's numbers are compared with. */
export function promptMeasureOf(
  prepared: PreparedRequest,
  admitted: AdmittedHop,
): fallbacks.PromptMeasure {
  let measure = measures.get(admitted);
  if (measure === undefined) {
    const { prefixes, tokens } = measured(sentBodyOf(prepared, admitted));
    const last = prefixes.findLast(({ mark }) => mark !== undefined)?.hash;
    measures.set(admitted, (measure = { tokens, lastBreakpointHash: last }));
  }
  return measure;
}
