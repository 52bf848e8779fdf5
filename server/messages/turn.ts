// A request made ready: its model, its plan, what goes upstream, and what is known before the first attempt.
import { notFound, Failure } from "../../kernel/base/failure.ts";
import type { Context, Principal } from "../../kernel/context.ts";
import { decode, parseJson } from "../../kernel/http/body.ts";
import * as fallbacks from "../fallbacks/module.ts";
import {
  catalogOf,
  mayUse,
  noAccess,
  type Catalog,
  type MessageBody,
  type Model,
} from "../models/module.ts";
import { expectAllowedGeo } from "../workspaces/module.ts";
import type { Books } from "./books.ts";
import { inlineFiles, type Inline } from "./files.ts";
import { limits } from "./limits.ts";
import { roomsOf } from "./room.ts";
import { skim, withoutFields, type Original } from "./skim.ts";
import { modelNameOf, validateBody } from "./validate.ts";

export interface Turn {
  context: Context;
  books: Books;
  /** As the client sent it. */
  sent: SentBody;
  /** Where nothing but the model's name and our own fields differ from what the client sent. */
  original: Original;
  plan: fallbacks.Plan;
  /** The hop to begin with: the requested model's, or the sticky one's. */
  first: fallbacks.Hop;
  prefixes: readonly fallbacks.Prefix[];
  /** Where the request names files. */
  inline: Inline | undefined;
  credit: fallbacks.Redeemed | fallbacks.NotApplied | undefined;
  /** Betas that are not ours. */
  betas: ReadonlySet<string>;
}

/** Our own, and those of the way in: no upstream gets to see them. */
const ownBetas =
  /^(server-side-fallback|fallback-credit|oauth|message-threads|managed-agents|agent-memory)-/;

export interface Incoming {
  readonly bytes: Buffer;
  /** Undefined where it was let go. */
  value: unknown;
}

/**
 * A body that is read from its bytes again where somebody asks for it after it was let go. While an answer is
 * awaited a long one would be copied by every collection of garbage: that was a third of the cost of 200 KB.
 */
export class SentBody {
  readonly #incoming: Incoming;

  constructor(incoming: Incoming) {
    this.#incoming = incoming;
  }

  get(): MessageBody {
    const { bytes } = this.#incoming;
    const value = (this.#incoming.value ??= withContents(parseJson(decode(bytes)) as MessageBody));
    return value as MessageBody;
  }

  letGo(): void {
    if (this.#incoming.bytes.length > limits.keptBytesMax) this.#incoming.value = undefined;
  }
}

/** The only hop of a turn without fallbacks. */
class OnlyHop implements fallbacks.Hop {
  readonly index = 0;
  readonly model: Model;
  readonly #sent: SentBody;

  constructor(model: Model, sent: SentBody) {
    this.model = model;
    this.#sent = sent;
  }

  get body(): MessageBody {
    return fallbacks.withoutOurs(this.#sent.get());
  }
}

/**
 * Everything that can be refused is refused here, before an upstream is asked or anything is charged. What `held` holds
 * is needed until the turn is over.
 */
export async function prepareTurn(
  context: Context,
  incoming: Incoming,
  books: Books,
  held: DisposableStack,
): Promise<Turn> {
  const catalog = catalogOf(context);
  const model = modelOf(catalog, incoming.value, context.who);
  const { body, credit } = judge(context, incoming.value, model, books);
  const geo = body["inference_geo"];
  if (typeof geo === "string") await expectAllowedGeo(context, geo);
  const original = withoutFields(incoming.bytes, skim(incoming.bytes));
  const { betas } = context;
  incoming.value = body;
  const sent = new SentBody(incoming);
  const room = roomsOf(context)[books.isBatch ? "batches" : "messages"];
  const inline = await inlineFiles(context, body, { room, held });
  const seen = (own: MessageBody) => withFiles(inline, own);
  const blind = inline && validateBody(seen(body), { model, continues: true });
  if (blind !== undefined) throw blind;
  const planned = fallbacks.planHops({
    body,
    betas,
    model,
    catalog,
    organizationType: context.who.organizationType,
    mayUse: (target) => mayUse(context.who, target),
    validateFor: (target, merged) => {
      const whole = seen(merged);
      return (
        validateBody(whole, { model: target }) ??
        catalog.adapterOf(target).problemOf?.(target, {
          ...whole,
          messages: fallbacks.cleanHistory(whole.messages),
        })
      );
    },
  });
  const only = planned.mode === "none" ? new OnlyHop(model, sent) : undefined;
  const plan: fallbacks.Plan = only === undefined ? planned : { ...planned, hops: [only] };
  const { prefixes, routes } = await findRoutes(context, body, plan);
  if (credit === undefined) {
    const moved = fallbacks.echoFailure(body, plan, routes);
    if (moved !== undefined) throw moved;
  }
  return {
    context,
    books,
    sent,
    original,
    plan,
    first: only ?? fallbacks.stickyHop(plan, routes) ?? plan.hops[0],
    prefixes,
    inline,
    credit,
    betas: foreignBetas(betas),
  };
}

export const foreignBetas = (betas: ReadonlySet<string>): ReadonlySet<string> =>
  betas.size === 0 ? betas : new Set([...betas].filter((beta) => !ownBetas.test(beta)));

/** Retired models answer nobody, and nothing is counted for them. */
export function modelOf(catalog: Catalog, value: unknown, who: Pick<Principal, "models">): Model {
  const name = modelNameOf(value);
  const model = catalog.resolve(name);
  if (model === undefined || model.lifecycle === "retired")
    throw noModel(
      name,
      catalog.list().filter((other) => mayUse(who, other)),
    );
  if (!mayUse(who, model)) throw noAccess("model", model);
  return model;
}

/** A turn of the system may only set an effort. From here on every turn has content. */
function withContents(body: MessageBody): MessageBody {
  const isEmpty = ({ content }: MessageBody["messages"][number]) =>
    (content as unknown) === undefined;
  if (!body.messages.some(isEmpty)) return body;
  const messages = body.messages.map((turn) => (isEmpty(turn) ? { ...turn, content: [] } : turn));
  return { ...body, messages };
}

/** A token may allow a prefill that the model would refuse: then it is judged again without it. */
function judge(context: Context, value: unknown, model: Model, { isBatch }: Books) {
  const given = (value as Partial<MessageBody>)["fallback_credit_token"] ?? null;
  // Within a batch it is taken, and means nothing.
  const token = isBatch ? null : given;
  const refused = validateBody(value, { model, continues: token !== null });
  if (refused !== undefined) throw refused;
  const body = withContents(value as MessageBody);
  if (token === null) return { body, credit: undefined };
  const credit = fallbacks.redeem({
    context,
    body,
    betas: context.betas,
    model,
    catalog: catalogOf(context),
  });
  if (credit instanceof Failure) throw credit;
  const isAllowed = credit?.status === "redeemed" && credit.authorizesPrefill;
  const strict = isAllowed ? undefined : validateBody(value, { model });
  if (strict !== undefined) throw strict;
  return { body, credit };
}

async function findRoutes(context: Context, body: MessageBody, plan: fallbacks.Plan) {
  if (!fallbacks.usesSticky(body, plan)) return { prefixes: [], routes: [] };
  const { organizationId } = context.who;
  const prefixes = fallbacks.prefixesOf(organizationId, plan.hops[0].model.id, body);
  const now = context.clock.now();
  const routes = await fallbacks.stickyLookup(context.db, organizationId, prefixes, now);
  return { prefixes, routes };
}

function noModel(name: string, models: readonly Model[]): Failure {
  const some = models
    .filter(({ lifecycle }) => lifecycle === "active")
    .slice(0, 8)
    .map(({ id }) => id);
  const shown = JSON.stringify(name.slice(0, 100));
  return notFound("model", `${shown}; this server has ${some.join(", ")}`);
}

/**
 * The body of a hop as its model sees it: no boundary blocks, the closing answer of a credit retry, and what files
 * hold in place of their names.
 */
export function bodyOfHop(turn: Turn, hop: fallbacks.Hop): MessageBody {
  const { credit, inline } = turn;
  const { body } = hop;
  const redeemed = credit?.status === "redeemed" && hop.index === 0 ? credit.messages : undefined;
  const messages = fallbacks.cleanHistory(redeemed ?? body.messages);
  return withFiles(inline, messages === body.messages ? body : { ...body, messages });
}

export function withFiles(inline: Inline | undefined, body: MessageBody): MessageBody {
  const messages = inline?.(body.messages) ?? body.messages;
  return messages === body.messages ? body : { ...body, messages };
}

/** The client's own bytes still say what goes upstream. */
export const isOriginal = (turn: Turn, hop: fallbacks.Hop, body: MessageBody): boolean =>
  hop.index === 0 && body.messages === turn.sent.get().messages;
