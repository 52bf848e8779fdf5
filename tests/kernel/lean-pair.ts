// Two servers that differ in one thing, the lean way, and what each of them makes of the same bytes.
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import Type from "typebox";
import type { AnsweredRequest } from "../../kernel/http/exchange/exchange.ts";
import { json } from "../../kernel/http/output/reply.ts";
import { events } from "../../kernel/http/output/sse.ts";
import { openRoute, originalJson, route, type Route } from "../../kernel/http/route.ts";
import {
  commonRoutes,
  openRawConnection,
  startBareServer,
  until,
  type BareServer,
} from "./http-harness.ts";

/** What a handler saw: all of it that the wire decides. */
interface Seen {
  path: string;
  headers: object;
  body: string;
}

interface Side {
  wire: BareServer;
  seen: Seen[];
  sockets: ServedSocket[];
}

/** `parser` is set by node:http on the connections that it serves. */
type ServedSocket = Socket & { parser?: unknown };

/** The server's ends of its connections from now on, in the order in which they come. */
export function serverSockets({ server }: BareServer): ServedSocket[] {
  const sockets: ServedSocket[] = [];
  server.on("connection", (socket: ServedSocket) => void sockets.push(socket));
  return sockets;
}

export interface Pair extends AsyncDisposable {
  /** Sends the pieces to both and compares all that comes of them; gives what the lean side said. */
  compare(pieces: readonly Buffer[]): Promise<string>;
  /** Connections that stayed on the lean way to their end. */
  leanConnections(): number;
}

const jsonOrEvents = originalJson(Type.Unknown(), { streams: true });

function routesSeenBy(seen: Seen[]): Route[] {
  const common = { body: jsonOrEvents, bodyBytesMax: 300_000, lean: true } as const;
  return [
    ...commonRoutes,
    openRoute({
      ...common,
      operation: "seen.create",
      method: "POST",
      path: "/seen",
      summary: "Keeps what it saw.",
      reply: Type.Unknown(),
      handle: ({ headers }, { body }) => {
        seen.push({ path: "/seen", headers: { ...headers }, body: body.bytes.toString("latin1") });
        const { stream, status } = (body.value ?? {}) as { stream?: number; status?: number };
        if (stream !== undefined) return countTo(stream);
        return json({ length: body.bytes.length, text: "ä€" }, { "x-one": "1" }, status ?? 200);
      },
    }),
    route({
      ...common,
      operation: "kept.create",
      method: "POST",
      path: "/kept",
      summary: "For those who may.",
      permission: "things:write",
      reply: Type.Unknown(),
      handle: ({ headers, who }, { body }) => {
        seen.push({ path: "/kept", headers: { ...headers }, body: body.bytes.toString("latin1") });
        return { name: who.credentialId };
      },
    }),
  ];
}

const countTo = (count: number) =>
  events(async (stream) => {
    for (let number = 0; number < count; number++)
      await stream.send({ event: "number", data: `${number} ä` });
    if (count === 3) throw new Error("three is a bug");
  });

async function openSide(lean: boolean): Promise<Side> {
  const seen: Seen[] = [];
  const wire = await startBareServer(routesSeenBy(seen), {
    lean,
    isLate: true,
    checkReplies: false,
  });
  return { wire, seen, sockets: serverSockets(wire) };
}

export async function openPair(): Promise<Pair> {
  const sides = { lean: await openSide(true), plain: await openSide(false) };
  let leanConnections = 0;
  return {
    leanConnections: () => leanConnections,
    compare: async (pieces) => {
      const { isLean: never, ...plain } = await outcome(sides.plain, pieces);
      const { isLean, ...lean } = await outcome(sides.lean, pieces);
      assert.ok(!never);
      if (isLean) leanConnections++;
      const sent = pieces.map((piece) => piece.toString("latin1").slice(0, 500));
      assert.deepEqual(lean, plain, `${isLean ? "lean" : "handed over"}: ${JSON.stringify(sent)}`);
      return lean.heard;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([sides.lean.wire.stop(), sides.plain.wire.stop()]);
    },
  };
}

async function outcome({ wire, seen, sockets }: Side, pieces: readonly Buffer[]) {
  seen.length = 0;
  wire.answered.length = 0;
  sockets.length = 0;
  const line = await openRawConnection(wire.address.port);
  await until(() => sockets.length > 0, "the connection");
  let isClosed = false;
  void line.closed.then(() => (isClosed = true));
  const levels = () =>
    `${line.heard().length} ${sockets[0]?.bytesRead} ${wire.openRequests()} ${wire.answered.length} ${isClosed}`;
  let sentBytes = 0;
  for (const piece of pieces) {
    if (isClosed) break;
    line.send(piece);
    sentBytes += piece.length;
    const hasArrived = () => isClosed || (sockets[0]?.bytesRead ?? 0) >= sentBytes;
    await calm(levels, hasArrived);
  }
  const whileOpen = { isClosed, openRequests: wire.openRequests() };
  const isLean = sockets[0]?.parser === undefined;
  line.socket.end();
  await line.closed;
  await calm(levels, () => wire.openRequests() === 0);
  return {
    ...whileOpen,
    isLean,
    heard: normal(line.heard()),
    seen: structuredClone(seen),
    answered: wire.answered.map(factsOf).toSorted(),
  };
}

/** Until it holds, and nothing has moved for some iterations of the loop, which both ends share. */
async function calm(levels: () => string, holds: () => boolean): Promise<void> {
  await until(holds, `the server to come to rest: ${levels()}`);
  let last = "";
  for (let still = 0; still < 12; still++) {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const now = levels();
    if (now !== last) still = 0;
    last = now;
  }
}

const factsOf = ({ operation, method, path, status, failure }: AnsweredRequest) =>
  `${method} ${path} ${operation} ${status} ${failure?.message ?? ""}`;

const normal = (heard: string) =>
  heard.replaceAll(/req_\w{26}/g, "req_").replaceAll(/^Date: .{29}\r$/gm, "Date: then\r");
