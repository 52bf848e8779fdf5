// The processes of one machine: each has a socket in one directory, and connects to those of the others.
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import { every } from "../work/every.ts";
import type { BusHub } from "./bus.ts";
import { busLimits } from "./limits.ts";

export interface MachineWorld {
  clock: Clock;
  logger: Logger;
  random: Random;
}

/** sun_path holds 108 bytes on Linux and 104 on macOS, with the closing zero. */
const pathBytesMax = process.platform === "darwin" ? 103 : 107;
const socketName = /^[0-9a-f]{16}\.sock$/;

/** Below the directory or, where that path is too long, in a directory of the same user beside other temporary ones. */
export function socketDirectory(directory: string, temporary = tmpdir()): string {
  const below = join(directory, "bus");
  const isShort = Buffer.byteLength(join(below, `${"0".repeat(16)}.sock`)) <= pathBytesMax;
  const key = createHash("sha256").update(directory).digest("hex").slice(0, 16);
  const path = isShort ? below : join(temporary, `plinth-bus-${key}`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(path);
  // In a directory that all may write to, another user may have been first.
  const isOurs = (mode & 0o170_777) === 0o040_700 && uid === process.getuid?.();
  if (!isOurs) throw new Error(`${path} is not a directory of this user's alone`);
  return path;
}

/** Ends with all its connections. Without a socket the bus of this process goes on by itself. */
export async function joinMachine(
  { clock, logger, random }: MachineWorld,
  hub: BusHub,
  parent: string,
): Promise<() => Promise<void>> {
  let directory: string;
  let server: Server;
  const own = `${random.bytes(8).toString("hex")}.sock`;
  const connections = new Set<Socket>();
  const keep = (socket: Socket) => {
    connections.add(socket.once("close", () => connections.delete(socket)));
    return socket;
  };
  const sources = new Map<string, Socket>();
  const reach = (name: string) => {
    if (name === own || sources.has(name) || !socketName.test(name)) return;
    const socket = keep(connect(join(directory, name)));
    sources.set(name, socket);
    socket.once("error", ({ code }: NodeJS.ErrnoException) => {
      // Left by a process that was killed: a living one listens before its socket has this name.
      if (code === "ECONNREFUSED") rmSync(join(directory, name), { force: true });
    });
    socket.once("close", () => sources.delete(name));
    hub.hearFrom(socket, "here", own);
  };
  try {
    directory = socketDirectory(parent);
    // A newcomer says its name, so that those who were there connect to it at once.
    server = await listenAt(directory, own, (socket) => hub.sendTo(keep(socket), "here", reach));
  } catch (error) {
    logger.warn({ error }, "this process hears no others on its machine: the bus has no socket");
    return async () => {};
  }
  const stopLooking = every({ clock, logger }, busLimits.lookMs, {
    name: "looking for other processes",
    act: async () => readdirSync(directory).forEach(reach),
  });
  return async () => {
    await stopLooking();
    rmSync(join(directory, own), { force: true });
    server.close();
    for (const socket of connections) socket.destroy();
  };
}

/** Under its name only once it listens and no other user may connect. */
async function listenAt(
  directory: string,
  name: string,
  accept: (socket: Socket) => void,
): Promise<Server> {
  // Node's cluster would have the first process listen in place of this one.
  const server = createServer(accept);
  const before = join(directory, name.replace(/\.sock$/, ".new"));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path: before, exclusive: true }, resolve);
  });
  server.removeAllListeners("error").on("error", () => {});
  server.unref();
  chmodSync(before, 0o600);
  renameSync(before, join(directory, name));
  return server;
}
