// Conversations that the server keeps: created with a first turn, continued with what is new.
import { Failure, invalid, tooLarge } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { parseOriginalBody } from "../../../kernel/http/input/body.ts";
import type { MessageBody } from "../../models/module.ts";
import { nodeOf } from "../../usage/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { contentInDialect } from "../answer/dialect.ts";
import { limits } from "../limits.ts";
import { fieldOffsetsOf, withoutFields } from "../prepare/field-offsets.ts";
import { memoryBudgetsOf } from "../prepare/memory-budget.ts";
import type { Incoming } from "../prepare/prepared-request.ts";
import { invalidField } from "../problem.ts";
import { threadsKeptMs } from "../settings.ts";
import {
  changedPins,
  closeContent,
  conversationOf,
  joinedBody,
  openContent,
  type KeptConversation,
} from "./kept-content.ts";
import type { KeptTurn } from "./kept-turn.ts";
import * as queries from "./queries.ts";
import { readThreadParam } from "./thread-param.ts";

/** Without `thread`. */
type Request = MessageBody;

/** A turn that has been looked at: its thread is as it was. */
export interface OpenedTurn {
  /** The whole conversation as one request, without `thread`. */
  incoming: Incoming;
  /** So many of its messages are the server's own: the client does not count them. */
  keptMessages: number;
  /** The answer before stopped in the middle and goes on with nothing new: no model with prefill is needed. */
  resumes: boolean;
  /** From here on no other request continues the thread: when all that can be refused has been looked at. */
  begin(): Promise<KeptTurn>;
}

/** What `held` holds is needed until the request is over. */
export async function openTurn(
  context: Context,
  incoming: Incoming,
  held: DisposableStack,
): Promise<OpenedTurn> {
  const body = incoming.value as MessageBody;
  const param = readThreadParam(context, body);
  // Before the bytes are put together anew: a name that comes twice is the client's fault.
  const offsets = fieldOffsetsOf(incoming);
  const { thread: _thread, ...request } = body;
  // From here on there is another one in its place, of which no more is held than its bytes.
  incoming.value = undefined;
  if (param.type === "continue")
    return await openNext(context, param.previousMessageId, request, held);
  const { bytes } = withoutFields(incoming.bytes, offsets, ["thread"]);
  return {
    // Without two names: `thread` and the `type` in it.
    incoming: { bytes, value: request, names: incoming.names - 2 },
    keptMessages: 0,
    resumes: false,
    begin: async () => {
      const claim = await newClaim(context, context.ids.next("thread_"));
      const { system, tools, messages } = request;
      const opened = openContent({ system, tools }, messages);
      return keptTurn(context, claim, { isFirst: true, opened });
    },
  };
}

async function openNext(
  context: Context,
  previousId: string,
  request: Request,
  held: DisposableStack,
): Promise<OpenedTurn> {
  const owner = ownerOf(context);
  const now = context.clock.now();
  const find = () => queries.findTurn(context.db, owner, previousId, now);
  const found = expectLast(await find(), previousId);
  // A request of 200 bytes may continue 32 MiB.
  held.use(await memoryBudgetsOf(context).messages.take(context, found.bytes));
  const rows = await queries.readTurns(context.db, owner, found);
  const kept = conversationOf(
    rows.map(({ messageId, content }) =>
      context.secrets.decrypt(content, contextOf(owner, messageId)),
    ),
  );
  return {
    ...joined(kept, request),
    keptMessages: kept.messages.length,
    begin: async () => {
      const claim = await newClaim(context, found.threadId);
      const at = { position: found.position, now };
      if (!(await queries.claimThread(context.db, owner, claim, at))) {
        // It was the last one a moment ago: another request has it, or has come to its end.
        const { turns } = expectLast(await find(), previousId);
        throw turns === found.position ? inFlight(previousId) : noThread(previousId);
      }
      const opened = openContent({}, request.messages);
      return keptTurn(context, claim, { isFirst: false, opened });
    },
  };
}

/** The next turn as a request of its own. */
function joined(
  kept: KeptConversation,
  request: Request,
): Pick<OpenedTurn, "incoming" | "resumes"> {
  const changed = changedPins(kept.pinned, request);
  if (changed.length > 0) throw otherPins(changed);
  const { messages } = request as { messages: unknown };
  // What is wrong with it is said by those who know its shape.
  if (!Array.isArray(messages)) return { incoming: asIncoming(request), resumes: false };
  const resumes = messages.length === 0;
  if (resumes && !kept.isPaused)
    throw invalidField(
      ["messages"],
      "must hold what is new: only an answer that stopped with pause_turn or compaction goes on without",
    );
  const incoming = asIncoming(joinedBody(kept, request));
  if (incoming.bytes.length > limits.bodyBytesMax)
    throw tooLarge(
      `With these messages the conversation has ${incoming.bytes.length} bytes; a request takes at most ${limits.bodyBytesMax}. Create a new thread with less of it.`,
    );
  return { incoming, resumes };
}

const asIncoming = (request: Request): Incoming =>
  parseOriginalBody(Buffer.from(JSON.stringify(request)));

async function newClaim(context: Context, threadId: string): Promise<queries.Claim> {
  const lease = await nodeOf(context).acquire();
  return { threadId, messageId: context.ids.next("msg_"), lease };
}

function keptTurn(
  context: Context,
  claim: queries.Claim,
  { isFirst, opened }: { isFirst: boolean; opened: Buffer },
): KeptTurn {
  const { db, clock, secrets, logger } = context;
  const owner = ownerOf(context);
  return {
    messageId: claim.messageId,
    keep: async (answer) => {
      // As the client has it: a credit token knows the conversation by what the client would send back.
      const said = contentInDialect(answer.content, context.dialect);
      const content = closeContent(opened, { ...answer, content: said });
      const expiresAt = new Date(clock.now().getTime() + threadsKeptMs(context));
      try {
        const encrypted = secrets.encrypt(content, contextOf(owner, claim.messageId));
        await db.tx(async (tx) => {
          if (isFirst) await queries.insertThread(tx, owner, claim, expiresAt);
          await queries.insertTurn(tx, owner, claim, encrypted);
        });
      } catch (error) {
        logger.warn({ error: String(error) }, "a turn of a conversation is not kept");
        return undefined;
      }
      return queries.advanceStatement(owner, claim, { bytes: content.length, expiresAt });
    },
    end: async () => {
      // Nobody has a name for one that did not come to its first end.
      if (isFirst) return;
      try {
        await queries.releaseThread(db, owner, claim);
      } catch (error) {
        // It ends by itself, with this process or after an hour.
        logger.warn({ error: String(error) }, "a conversation still counts as being continued");
      }
    },
  };
}

const ownerOf = (context: Context): queries.Owner => ({
  organizationId: context.who.organizationId,
  workspaceId: workspaceOf(context),
});

/** A turn that was copied to another row, or to another workspace's, does not open. */
export const contextOf = ({ workspaceId }: Pick<queries.Owner, "workspaceId">, messageId: string) =>
  `a turn of a conversation ${workspaceId} ${messageId}`;

/** The turn of which the next one may be made. */
function expectLast(found: queries.FoundTurn | undefined, previousId: string): queries.FoundTurn {
  if (found === undefined) throw noThread(previousId);
  if (found.position < found.turns)
    throw invalid(
      `${path}: ${quoted(previousId)} has been continued already, and each answer can be only once. Continue from the last answer of the thread. ${again}`,
      { code: "thread_already_continued" },
    );
  if (found.isUnderWay) throw inFlight(previousId);
  return found;
}

const path = "thread.previous_message_id";
const again = 'Else send the full conversation with thread {"type": "create"}.';
const quoted = (id: string) => JSON.stringify(id.length > 100 ? `${id.slice(0, 100)}…` : id);

const noThread = (id: string): Failure =>
  new Failure(
    "not_found_error",
    `${path}: there is no kept conversation of ${quoted(id)}; it may have expired. Send the full conversation with thread {"type": "create"}.`,
    { code: "thread_not_found" },
  );

const inFlight = (id: string): Failure =>
  invalid(
    `${path}: another request is still continuing ${quoted(id)}. Wait for its answer and continue from that. ${again}`,
    { code: "thread_continue_in_flight" },
  );

const otherPins = (fields: readonly string[]): Failure =>
  invalid(
    `${fields.join(" and ")}: not what the thread was created with. Leave out what stays the same. ${again}`,
    { code: "thread_fingerprint_mismatch" },
  );
