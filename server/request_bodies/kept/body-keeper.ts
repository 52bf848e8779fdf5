// The keeper of bodies of this process: holds what was said until the answer is over, and writes it a moment later.
import { timeOfId } from "../../../kernel/base/ids.ts";
import { requestNote } from "../../../kernel/base/request-notes.ts";
import type { Actor, World } from "../../../kernel/context.ts";
import type { AnsweredRequest } from "../../../kernel/http/exchange/exchange.ts";
import { envelope } from "../../../kernel/http/output/envelope.ts";
import { every } from "../../../kernel/work/every.ts";
import { part } from "../../../kernel/work/parts.ts";
import { limits } from "../limits.ts";
import { listEnabled } from "../queries.ts";
import { UnderWay } from "./said.ts";
import { makeBodyWriter, type WaitingBody } from "./write-bodies.ts";

export interface BodyKeeper {
  /** Undefined where the workspace keeps nothing: of all that is here, this look alone is on the way of requests. */
  begin(actor: Actor, request: Buffer): UnderWay | undefined;
  /** The request is over: what was said waits to be written. */
  noteAnswered(facts: AnsweredRequest): void;
  /** Looks which workspaces keep bodies. */
  look(): Promise<void>;
  /** The same, told to the other processes. */
  changed(): Promise<void>;
  /** Writes what waits. */
  flush(): Promise<void>;
  /** From here on what comes is written by itself. */
  start(): void;
  /** Writes what waits, once what is being written is; afterwards nothing is written by itself. */
  stop(): Promise<void>;
}

const saidNote = requestNote<UnderWay>("said");

const channel = "request_body_settings";

function makeBodyKeeper(world: World): BodyKeeper {
  const writer = makeBodyWriter(world);
  let enabled: ReadonlySet<string> = new Set();

  const look = async (): Promise<void> => {
    enabled = new Set(await listEnabled(world.db));
  };
  return {
    begin: (actor, request) => {
      const { organizationId, workspaceId } = actor.who;
      if (workspaceId === null || !enabled.has(workspaceId)) return undefined;
      // Of a client that has left already the end has been told, and is not told again.
      if (actor.signal.aborted) return undefined;
      const { requestId } = actor;
      const said = new UnderWay({ requestId, organizationId, workspaceId }, request);
      saidNote.set(actor.notes, said);
      return said;
    },
    noteAnswered: (facts) => {
      const said = saidNote.of(facts.notes);
      if (said !== undefined) writer.add(waitingOf(said, facts));
    },
    look,
    changed: async () => {
      world.hints.send(channel, "*", { toOthers: true });
      await look();
    },
    flush: writer.flush,
    start: writer.start,
    stop: writer.stop,
  };
}

function waitingOf(said: UnderWay, { status, failure }: AnsweredRequest): WaitingBody {
  const { owner } = said;
  const hasLeft = failure !== undefined && failure.status === 499;
  const message = said.message();
  return {
    ...owner,
    at: timeOfId(owner.requestId),
    request: ownBytes(said.request),
    // An answer that a client did not wait for is no answer that it got.
    answer: message === undefined || said.isTooLong ? null : JSON.stringify(message),
    error:
      failure === undefined || hasLeft ? null : JSON.stringify(envelope(failure, owner.requestId)),
    ended:
      hasLeft || status === 499 ? "client_left" : failure === undefined ? "complete" : "failed",
  };
}

/** A short body may be a corner of a large block that the connection has read. */
const ownBytes = (bytes: Buffer): Buffer =>
  bytes.buffer.byteLength > 2 * bytes.length ? Buffer.from(bytes) : bytes;

export const bodyKeeperPart = part("keeper of bodies", {
  make: (world: World) => makeBodyKeeper(world),
  start: (world, { look, start, stop }) => {
    start();
    const looking = "looking which workspaces keep bodies";
    const deaf = world.hints.listen(channel, () => {
      look().catch((error: unknown) => world.logger.warn({ error }, `${looking} failed`));
    });
    const stopLooking = every(world, limits.lookEveryMs, { name: looking, act: look });
    return async () => {
      deaf();
      await stopLooking();
      await stop();
    };
  },
});

export const bodyKeeperOf = bodyKeeperPart.of;
