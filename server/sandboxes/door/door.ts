// The network door of one sandbox: an HTTP proxy that the sandbox finds on its own loopback. It knows who asks by where
// the connection arrives, so that nothing that identifies a sandbox lies inside.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../../kernel/base/clock.ts";
import type { SandboxNetwork } from "../provider.ts";
import { type Answer, answerSocket, tooMany } from "./answers.ts";
import { forward } from "./forward.ts";
import { doorLimits } from "./limits.ts";
import { connectTo, type DoorOptions, findSecrets, type Reach, refuse } from "./reach.ts";
import type { Authority } from "./secrets/authority.ts";
import { readAuthority, type Target } from "./target.ts";
import { join } from "./tunnels/join.ts";
import { beginsTls, forwardOpened, type Opened, openTls, upgradeOpened } from "./tunnels/opened.ts";

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
  const secretsFor = findSecrets(options);
  const reach = (): Reach => ({ options, stopped: stopping.signal, begin, keep, secretsFor });
  const server = makeServer(options, reach);
  return {
    connect(socket) {
      if (inside >= connectionsMax + refusedMax) {
        socket.destroy();
        return;
      }
      inside += 1;
      socket.once("close", () => (inside -= 1));
      // In a tunnel a side that has said all it has to say still hears the other one.
      socket.allowHalfOpen = true;
      // An answer of TLS in several pieces would wait for the other side to say that it has the first.
      socket.setNoDelay(true);
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
  const opened = makeOpenedServer(options, reach);
  const server = createDoorServer();
  const heads = makeHeadTimes(options.world.clock);
  server.on("connection", heads.await);
  server.on("request", (request, response) => {
    response.once("close", heads.arrived(request.socket));
    void forward(reach(), request, response);
  });
  server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    heads.arrived(request.socket);
    void tunnel(reach(), request.url ?? "", { inner: socket, head, opened });
  });
  return server;
}

/** What serves the requests in tunnels whose TLS ends here. */
interface OpenedServer {
  serve(opened: Opened): void;
}

function makeOpenedServer(options: DoorOptions, reach: () => Reach): OpenedServer {
  const server = createDoorServer();
  const heads = makeHeadTimes(options.world.clock);
  const tunnels = new WeakMap<Socket, Opened>();
  const tunnelOf = ({ socket }: IncomingMessage) => tunnels.get(socket);
  server.on("connection", heads.await);
  server.on("request", (incoming, response) => {
    response.once("close", heads.arrived(incoming.socket));
    const opened = tunnelOf(incoming);
    if (opened !== undefined) void forwardOpened(reach(), opened, { incoming, response });
  });
  server.on("upgrade", (incoming, _socket, head) => {
    heads.arrived(incoming.socket);
    const opened = tunnelOf(incoming);
    if (opened !== undefined) void upgradeOpened(reach(), opened, { incoming, head });
  });
  return {
    serve(opened) {
      tunnels.set(opened.inner, opened);
      server.emit("connection", opened.inner);
    },
  };
}

const createDoorServer = (): Server =>
  createServer({
    maxHeaderSize: doorLimits.headBytesMax,
    keepAliveTimeout: doorLimits.headMs,
    // The target of a request to a proxy names the host, and that of a tunnel counts.
    requireHostHeader: false,
  });

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
  named: string,
  { inner, head, opened }: { inner: Socket; head: Buffer; opened: OpenedServer },
): Promise<void> {
  inner.on("error", () => {});
  const end = reach.begin();
  if (end === undefined) return answerSocket(inner, tooMany);
  try {
    const found = await openTunnel(reach, named);
    if ("status" in found) return answerSocket(inner, found);
    const { target, outer, authority } = found;
    // Of one that is closed already no event would come any more.
    if (inner.destroyed || outer.destroyed) {
      inner.destroy();
      outer.destroy();
      return;
    }
    inner.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) inner.unshift(head);
    if (authority !== undefined && (await beginsTls(inner, outer))) {
      // Its requests are counted one by one.
      const { trusted } = reach.options;
      opened.serve(await openTls({ authority, trusted }, target, { inner, outer }));
      return;
    }
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

interface Tunnel {
  target: Target;
  outer: Socket;
  /** By which it is opened, where the target may have a secret. */
  authority: Authority | undefined;
}

async function openTunnel(reach: Reach, named: string): Promise<Tunnel | Answer> {
  const target = readAuthority(named);
  if (target === undefined) return refuse(reach, { host: named, port: 0, reason: "spelling" });
  const secrets = await reach.secretsFor(target);
  if ("status" in secrets) return secrets;
  const outer = await connectTo(reach, target);
  if ("status" in outer) return outer;
  const authority = secrets.all.length > 0 ? reach.options.secrets?.authority : undefined;
  return { target, outer, authority };
}
