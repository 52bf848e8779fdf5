// A network door behind a port of this machine, names that lead where a test wants, and servers to reach.
import assert from "node:assert/strict";
import type { lookup, LookupAddress } from "node:dns";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer,
  isIPv6,
  type Server,
  type Socket,
} from "node:net";
import { text } from "node:stream/consumers";
import { systemClock, type Clock } from "../../kernel/base/clock.ts";
import { makeKeyedQueues } from "../../kernel/base/keyed-queues.ts";
import type { World } from "../../kernel/context.ts";
import type { Refusal } from "../../server/sandboxes/door/answers.ts";
import { makeDoor } from "../../server/sandboxes/door/door.ts";
import type { DoorOptions } from "../../server/sandboxes/door/reach.ts";
import type { NetworkPolicy } from "../../server/sandboxes/door/policy.ts";

export interface HouseOptions extends Pick<
  DoorOptions,
  "secrets" | "trusted" | "lookup" | "ownAddresses"
> {
  policy?: NetworkPolicy;
  /** Each time that a name is looked up the next list is given, the last one for ever. */
  names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Of `network.allow_private_addresses`; this machine's loopback unless said otherwise. */
  allowed?: string[];
  clock?: Clock;
}

export const openPolicy: NetworkPolicy = { type: "unrestricted" };

/** What a door logs fails its test. */
const logger = {
  error: (facts: { error: unknown }) => {
    throw facts.error;
  },
} as unknown as World["logger"];

export async function openDoorHouse(options: HouseOptions = {}) {
  const { policy = openPolicy, allowed = ["127.0.0.1"], clock = systemClock } = options;
  const refused: Refusal[] = [];
  const lookedUp: string[] = [];
  const answers = new Map(
    Object.entries(options.names ?? {}).map(([name, all]) => [name, [...all]]),
  );
  const look = (name: string, _options: unknown, done: (...args: unknown[]) => void) => {
    lookedUp.push(name);
    const rest = answers.get(name) ?? [];
    const found = rest.length > 1 ? rest.shift() : rest[0];
    if (found === undefined) return done(Object.assign(new Error(name), { code: "ENOTFOUND" }));
    const family = (address: string) => (isIPv6(address) ? 6 : 4);
    done(
      null,
      found.map((address): LookupAddress => ({ address, family: family(address) })),
    );
  };
  const queues = makeKeyedQueues(1);
  const state = { policy };
  const door = makeDoor({
    ownAddresses: () => [],
    ...options,
    world: { clock, logger, sections: { network: { allow_private_addresses: allowed } } },
    policy: async () => state.policy,
    onRefused: (refusal) => refused.push(refusal),
    inTurn: (work) => queues.run("all", work),
    lookup: options.lookup ?? (look as unknown as typeof lookup),
  });
  const listener = await listening(createServer({ allowHalfOpen: true }, door.connect));
  return {
    door,
    refused,
    lookedUp,
    state,
    port: listener.port,
    /** What comes back until the connection ends. */
    talk: (words: string) => talk(listener.port, words),
    [Symbol.asyncDispose]: async () => {
      door.endAll();
      await listener.close();
    },
  };
}

export async function talk(port: number, words: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(words, "latin1");
  return await text(socket);
}

/** On the loopback of this machine. */
export async function listening(server: Server) {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    close,
    [Symbol.asyncDispose]: close,
  };
}

export const web = (handle: RequestListener) => listening(createHttpServer(handle));

/** Takes what comes until it holds `until`, and answers with `answer`. */
export async function plainServer(until: string, answer: string, isLast = true) {
  const seen: string[] = [];
  const server = await listening(
    createServer((socket) => {
      const at = seen.push("") - 1;
      socket.on("data", (bytes) => {
        seen[at] += bytes.toString("latin1");
        if (!(seen[at] ?? "").endsWith(until)) return;
        socket.write(answer, "latin1");
        if (isLast) socket.end();
      });
    }),
  );
  return { ...server, seen };
}

export const statusOf = (answer: string): number => {
  const [, status] = /^HTTP\/1\.1 (\d+) /.exec(answer) ?? assert.fail(`no answer: ${answer}`);
  return Number(status);
};
