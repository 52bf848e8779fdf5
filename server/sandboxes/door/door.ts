// The network door of one sandbox: an HTTP proxy that the sandbox finds on its own loopback. It knows who asks by where
// the connection arrives, so that nothing that identifies a sandbox lies inside.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../../kernel/base/clock.ts";
import type { SandboxNetwork } from "../provider.ts";
import { type Answer, answerSocket, tooMany } from "./answers.ts";
import { type ChangeRequest, forward } from "./forward.ts";
import { doorLimits } from "./limits.ts";
import { connectTo, type Reach, type ReachOptions, refuse } from "./reach.ts";
import { readAuthority } from "./target.ts";

export interface DoorOptions extends ReachOptions {
  /** Sees each request that is no tunnel before it goes out, and may give another one in its place. */
  changeRequest?: ChangeRequest;
}

export function makeDoor(options: DoorOptions): SandboxNetwork {
  const sockets = new Set<Socket>();
  const { connectionsMax, refusedMax } = doorLimits;
  let inside = 0;
  let underWay = 0;
  let stopping = new AbortController();

  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    void endWhenSilent(socket, options.world.clock);
  };
  const begin = () => {
    if (underWay >= connectionsMax) return undefined;
    underWay += 1;
    return () => void (underWay -= 1);
  };
  const reach = (): Reach => ({ options, stopped: stopping.signal, begin, keep });
  const server = makeServer(options, reach);
  return {
    connect(socket) {
      if (inside >= connectionsMax + refusedMax) {
        socket.destroy();
        return;
      }
      inside += 1;
      socket.once("close", () => (inside -= 1));
      // A client that has said all it has to say is still answered.
      socket.allowHalfOpen = true;
      keep(socket);
      if (inside > connectionsMax) answerSocket(socket, tooMany);
      else server.emit("connection", socket);
    },
    endAll() {
      stopping.abort();
      stopping = new AbortController();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function makeServer(options: DoorOptions, reach: () => Reach): Server {
  const { headMs, headBytesMax } = doorLimits;
  const server = createServer({
    maxHeaderSize: headBytesMax,
    keepAliveTimeout: headMs,
    // The target of a request to a proxy names the host.
    requireHostHeader: false,
  });
  const heads = makeHeadTimes(options.world.clock);
  server.on("connection", heads.await);
  server.on("request", (request, response) => {
    response.once("close", heads.arrived(request.socket));
    void forward(reach(), request, { response, changeRequest: options.changeRequest });
  });
  server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    heads.arrived(request.socket);
    void tunnel(reach(), request.url ?? "", { inner: socket, head });
  });
  return server;
}

/** Node.js times the heads of sockets that it accepts itself, and these it does not. */
function makeHeadTimes(clock: Clock) {
  const waits = new WeakMap<Socket, { ended: AbortController; underWay: number }>();
  const wait = (socket: Socket): AbortController => {
    const ended = new AbortController();
    const isLate = clock.sleep(doorLimits.headMs, ended.signal);
    void isLate.then((is) => (is ? socket.destroy() : socket));
    return ended;
  };
  return {
    await(socket: Socket) {
      const state = { ended: wait(socket), underWay: 0 };
      waits.set(socket, state);
      socket.once("close", () => state.ended.abort());
    },
    /** The result says that it was answered: the next one is waited for. */
    arrived(socket: Socket): () => void {
      const state = waits.get(socket);
      if (state === undefined) return () => {};
      state.ended.abort();
      state.underWay += 1;
      return () => {
        state.underWay -= 1;
        if (state.underWay === 0 && !socket.destroyed) state.ended = wait(socket);
      };
    },
  };
}

/** Not a byte either way from one look to the next, so many times in a row. */
async function endWhenSilent(socket: Socket, clock: Clock): Promise<void> {
  const closed = new AbortController();
  socket.once("close", () => closed.abort());
  let [bytes, silent] = [0, 0];
  while (await clock.sleep(doorLimits.silenceLookMs, closed.signal)) {
    const now = socket.bytesRead + socket.bytesWritten;
    silent = now === bytes ? silent + 1 : 0;
    bytes = now;
    if (silent === doorLimits.silentLooksMax) socket.destroy();
  }
}

async function tunnel(
  reach: Reach,
  authority: string,
  { inner, head }: { inner: Socket; head: Buffer },
): Promise<void> {
  inner.on("error", () => {});
  const end = reach.begin();
  if (end === undefined) return answerSocket(inner, tooMany);
  try {
    const outer = await openTunnel(reach, authority);
    if ("status" in outer) return answerSocket(inner, outer);
    // Of one that is closed already no event would come any more.
    if (inner.destroyed || outer.destroyed) {
      inner.destroy();
      outer.destroy();
      return;
    }
    inner.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) outer.write(head);
    join(inner, outer);
    join(outer, inner);
    await Promise.all(
      [inner, outer].map((side) => new Promise((done) => side.once("close", done))),
    );
  } catch (error) {
    reach.options.world.logger.error({ error }, "a tunnel of a sandbox failed");
    inner.destroy();
  } finally {
    end();
  }
}

async function openTunnel(reach: Reach, authority: string): Promise<Socket | Answer> {
  const target = readAuthority(authority);
  if (target !== undefined) return await connectTo(reach, target);
  return refuse(reach, { host: authority, port: 0, reason: "spelling" });
}

/** What one side says the other hears, to the end; a side that breaks off takes the other along. */
function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.once("close", () => {
    if (from.readableEnded) to.destroySoon();
    else to.destroy();
  });
}
