// A request made ready: its model, its plan, what goes upstream, and what is known before the first attempt.
import { Failure } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import { decode, parseJson, type OriginalBody } from "../../../kernel/http/input/body.ts";
import * as fallbacks from "../../fallbacks/module.ts";
import {
  catalogOf,
  mayUse,
  withoutIgnored,
  type Catalog,
  type MessageBody,
  type Model,
} from "../../models/module.ts";
import { recordOf, type AnswerRecord } from "../../requests/module.ts";
import { expectAllowedGeo } from "../../workspaces/module.ts";
import { callsServers, plainTurns } from "../mcp/turns.ts";
import type { Accounting } from "../run/accounting.ts";
import { inlineFiles, type FileInliner } from "./files.ts";
import { readableTurns } from "./history.ts";
import { limits } from "../limits.ts";
import { memoryBudgetsOf } from "./memory-budget.ts";
import {
  serverOnlyFields,
  fieldOffsetsOf,
  withoutFields,
  type ForwardableBody,
} from "./field-offsets.ts";
import { resolveModel } from "./resolve-model.ts";
import { stickyStart } from "./sticky-start.ts";
import type { KeptTurn } from "../threads/kept-turn.ts";
import { validateBody, type BodyFacts } from "../validate/body.ts";

export interface PreparedRequest {
  actor: Actor;
  accounting: Accounting;
  /** As it was when the request began: models and upstreams may be removed while it is under way. */
  catalog: Catalog;
  /** As the client sent it. */
  sent: SentBody;
  /** The client's bytes without our fields: sent where nothing else but the model's name differs. */
  original: ForwardableBody;
  plan: fallbacks.HopPlan;
  /** The hop to begin with: the requested model's, or the sticky one's. */
  firstHop: fallbacks.Hop;
  stickyPrefixes: readonly fallbacks.StickyPrefix[];
  /** Where the request names files. */
  fileInliner: FileInliner | undefined;
  credit: fallbacks.Redeemed | fallbacks.NotApplied | undefined;
  /** Betas that are not ours. */
  betas: ReadonlySet<string>;
  /** The client asked for edits of the conversation. */
  asksForEdits: boolean;
  /** One of several that make up an answer: it has no sticky route of its own, and earns no credit. */
  isRound: boolean;
  /** For the request log. */
  record: AnswerRecord;
  /** Where the conversation is kept. */
  thread?: KeptTurn;
}

/** Betas of this server, and those of signing in: no upstream gets to see them. */
const ownBetas =
  /^(server-side-fallback|fallback-credit|oauth|message-threads|managed-agents|agent-memory|ce-user-management)-/;

/** Its value is undefined after it was let go. */
export type Incoming = OriginalBody;

/**
 * A body that is read from its bytes again where a caller asks for it after it was let go. While an answer is
 * awaited a long body would be copied by every collection of garbage: that was a third of the cost of 200 KB.
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

/** The only hop of a request without fallbacks. */
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

interface PrepareOptions {
  /** This server itself stopped in the last turn, and goes on. */
  resumes?: boolean;
  isRound?: boolean;
}

/**
 * Everything that can be refused is refused here, before an upstream is asked or anything is charged. What `held` holds
 * is needed until the request is over.
 */
export async function prepareRequest(
  actor: Actor,
  incoming: Incoming,
  accounting: Accounting,
  held: DisposableStack,
  { resumes = false, isRound = false }: PrepareOptions = {},
): Promise<PreparedRequest> {
  const record = recordFor(actor, incoming.value);
  const catalog = catalogOf(actor).snapshot();
  const model = resolveModel(catalog, incoming.value, actor.who);
  const { body, credit } = judge(actor, incoming.value, { catalog, model, resumes }, accounting);
  const geo = body["inference_geo"];
  if (typeof geo === "string") await expectAllowedGeo(actor, geo);
  const original = withoutFields(incoming.bytes, fieldOffsetsOf(incoming), hiddenFields(model));
  const { betas } = actor;
  incoming.value = body;
  const sent = new SentBody(incoming);
  const budget = memoryBudgetsOf(actor)[accounting.isBatch ? "batches" : "messages"];
  const fileInliner = await inlineFiles(actor, body, { budget, held });
  const inlined = (hopBody: MessageBody) => withFiles(fileInliner, hopBody);
  const blind = fileInliner && validateBody(inlined(body), { model, continues: true });
  if (blind !== undefined) throw blind;
  const planned = fallbacks.planHops({
    body,
    betas,
    model,
    catalog,
    organizationType: actor.who.organizationType,
    mayUse: (target) => mayUse(actor.who, target),
    validateFor: (target, merged) => {
      const whole = inlined(merged);
      const read = withoutUnread(target, whole);
      return (
        validateBody(whole, factsOf(catalog, target)) ??
        catalog.adapterOf(target).problemOf?.(target, {
          ...read,
          messages: visibleTurns(catalog, target, read.messages),
        })
      );
    },
  });
  const only = planned.mode === "none" ? new OnlyHop(model, sent) : undefined;
  const plan: fallbacks.HopPlan = only === undefined ? planned : { ...planned, hops: [only] };
  const start = isRound
    ? { firstHop: plan.hops[0], stickyPrefixes: [] }
    : await stickyStart(actor, body, plan, credit !== undefined);
  return {
    actor,
    accounting,
    catalog,
    sent,
    original,
    plan,
    ...start,
    fileInliner,
    credit,
    betas: foreignBetas(betas),
    asksForEdits: (body["context_management"] ?? null) !== null,
    isRound,
    record,
  };
}

/** Also of a request that is refused: a name of a model is no text of the conversation. */
function recordFor(actor: Actor, value: unknown): AnswerRecord {
  const record = recordOf(actor);
  const model = (value as { model?: unknown } | null)?.model;
  if (typeof model === "string" && modelName.test(model)) record.modelAsked = model;
  return record;
}
const modelName = /^[\w.:/@-]{1,128}$/;

/** Taken for every model, and not shown to one whose upstream has no edits of the conversation. */
const editing = "context_management";
export const supportsContextEdits = ({ pass }: Model): boolean => pass.includes(editing);
const hiddenFields = (model: Model) =>
  supportsContextEdits(model) ? serverOnlyFields : [...serverOnlyFields, editing];

/** The very same body where there is nothing in it that the model's upstream does not read. */
export function withoutUnread(model: Model, body: MessageBody): MessageBody {
  const taken = withoutIgnored(model, body);
  if (taken[editing] === undefined || supportsContextEdits(model)) return taken;
  const { [editing]: _unread, ...read } = taken;
  return read;
}

export const foreignBetas = (betas: ReadonlySet<string>): ReadonlySet<string> =>
  betas.size === 0 ? betas : new Set([...betas].filter((beta) => !ownBetas.test(beta)));

/** A turn of the system may only set an effort. From here on every turn has content. */
function withContents(body: MessageBody): MessageBody {
  const isEmpty = ({ content }: MessageBody["messages"][number]) =>
    (content as unknown) === undefined;
  if (!body.messages.some(isEmpty)) return body;
  const messages = body.messages.map((turn) => (isEmpty(turn) ? { ...turn, content: [] } : turn));
  return { ...body, messages };
}

const factsOf = (catalog: Catalog, model: Model): BodyFacts => ({
  model,
  mayBeOwnThought: catalog.adapterOf(model).mayBeOwnThought,
});

/** A token may allow a prefill that the model would refuse: then it is judged again without it. */
function judge(
  actor: Actor,
  value: unknown,
  { catalog, model, resumes }: { catalog: Catalog; model: Model; resumes: boolean },
  { isBatch }: Accounting,
) {
  const given = (value as Partial<MessageBody>)["fallback_credit_token"] ?? null;
  // Within a batch it is taken, and means nothing.
  const token = isBatch ? null : given;
  const facts = factsOf(catalog, model);
  const refused = validateBody(value, { ...facts, continues: resumes || token !== null });
  if (refused !== undefined) throw refused;
  const body = withContents(value as MessageBody);
  if (token === null) return { body, credit: undefined };
  const credit = fallbacks.redeem({
    context: actor,
    body,
    betas: actor.betas,
    model,
    catalog,
  });
  if (credit instanceof Failure) throw credit;
  const isAllowed = resumes || (credit?.status === "redeemed" && credit.authorizesPrefill);
  const strict = isAllowed ? undefined : validateBody(value, facts);
  if (strict !== undefined) throw strict;
  return { body, credit };
}

/**
 * The body of a hop as its model sees it: no boundary blocks, nothing empty, the closing answer of a credit retry, and
 * what files hold in place of their names.
 */
export function bodyOfHop(prepared: PreparedRequest, hop: fallbacks.Hop): MessageBody {
  const { credit, fileInliner } = prepared;
  const { body } = hop;
  const redeemed = credit?.status === "redeemed" && hop.index === 0 ? credit.messages : undefined;
  const sent = redeemed === undefined ? body : { ...body, messages: redeemed };
  const read = withoutUnread(hop.model, sent);
  const messages = visibleTurns(prepared.catalog, hop.model, read.messages);
  return withFiles(fileInliner, messages === read.messages ? read : { ...read, messages });
}

/** Turns as a model gets to see them; the very same array where that is all of them. */
export const visibleTurns = (catalog: Catalog, model: Model, messages: MessageBody["messages"]) =>
  readableTurns(
    callsServers(model)
      ? fallbacks.cleanHistory(messages)
      : plainTurns(fallbacks.cleanHistory(messages)),
    catalog.adapterOf(model).mayBeOwnThought,
  );

export function withFiles(fileInliner: FileInliner | undefined, body: MessageBody): MessageBody {
  const messages = fileInliner?.(body.messages) ?? body.messages;
  return messages === body.messages ? body : { ...body, messages };
}

/** The client's bytes still are what goes upstream. */
export function canForwardOriginal(
  prepared: PreparedRequest,
  hop: fallbacks.Hop,
  body: MessageBody,
): boolean {
  if (hop.index !== 0) return false;
  const sent = prepared.sent.get();
  return rewritten.every((field) => body[field] === sent[field]);
}

/** Where something of the body may have been dropped or replaced. */
const rewritten = ["messages", "thinking", "output_config"] as const;

/** Whether what ended from outside was ended by its client: not by this server as it stops, nor by a batch. */
export const isEndedByClient = ({
  actor,
  accounting,
}: Pick<PreparedRequest, "actor" | "accounting">) =>
  !accounting.isBatch && !actor.server.isDrainOver;
