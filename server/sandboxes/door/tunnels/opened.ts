// Tunnels to hosts that may have a secret: their TLS ends here, once on each side, so that the secret can be put in.
import { once } from "node:events";
import { Agent, type IncomingMessage, request as send, type ServerResponse } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect as connectTls, type SecureContext, TLSSocket } from "node:tls";
import { isCertificateCode } from "../../../../kernel/http/outside/failure.ts";
import { type Answer, answerSocket, tooMany } from "../answers.ts";
import {
  answer,
  brokenOff,
  fault,
  type ForwardedRequest,
  headersOf,
  headersToSend,
  noCoding,
  pairs,
  phraseOf,
} from "../exchange.ts";
import { doorLimits } from "../limits.ts";
import { judgeNow, type Reach } from "../reach.ts";
import { type Authority, outgoingContext } from "../secrets/authority.ts";
import { putIntoHeaders } from "../secrets/headers.ts";
import { sendOn } from "../secrets/send-on.ts";
import { SecretRoom, type SecretsFor } from "../secrets/secrets.ts";
import { bareHost, hostHeader, type Target } from "../target.ts";
import { join } from "./join.ts";

/** A tunnel whose TLS ended here, and its one connection to the target. */
export interface Opened {
  target: Target;
  inner: TLSSocket;
  /** What goes to the target inside TLS, once the target has shown who it is; or what the sandbox is told. */
  outer(): Promise<TLSSocket | Answer>;
  agent: Agent;
  /** A reply that is on its way comes whole, also where the target has ended its connection. */
  begin(): () => void;
}

/** What a ClientHello begins with. */
const handshake = 0x16;

/** Whether the sandbox begins with TLS; what it sent is still to be read. False where the target speaks first. */
export async function beginsTls(inner: Socket, outer: Socket): Promise<boolean> {
  const stop = new AbortController();
  const { signal } = stop;
  const heard = (socket: Socket) =>
    Promise.race([once(socket, "readable", { signal }), once(socket, "close", { signal })]);
  try {
    await Promise.race([heard(inner), heard(outer)]);
  } catch {
    return false;
  } finally {
    stop.abort();
  }
  const first = inner.read() as Buffer | null;
  if (first === null) return false;
  inner.unshift(first);
  return first[0] === handshake;
}

export async function openTls(
  { authority, trusted }: { authority: Authority; trusted: SecureContext | undefined },
  target: Target,
  { inner, outer }: { inner: Socket; outer: Socket },
): Promise<Opened> {
  const secureContext = await authority.contextFor(target.host);
  const near = new TLSSocket(inner, {
    isServer: true,
    secureContext,
    ALPNProtocols: ["http/1.1"],
  });
  near.on("error", () => near.destroy());
  near.once("close", () => outer.destroy());
  let line: Promise<TLSSocket | Answer> | undefined;
  let far: TLSSocket | undefined;
  let underWay = 0;
  const endWhenDone = () => {
    if (underWay === 0 && far?.destroyed === true) near.destroySoon();
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  // One connection: where it has ended, so has the tunnel.
  agent.createConnection = () => far ?? outer;
  return {
    target,
    inner: near,
    agent,
    begin() {
      underWay += 1;
      return () => {
        underWay -= 1;
        endWhenDone();
      };
    },
    outer: () =>
      (line ??= secure(target, outer, trusted).then((secured) => {
        if (!("status" in secured)) {
          far = secured;
          far.once("close", endWhenDone);
        }
        return secured;
      })),
  };
}

/** By the authorities that this machine trusts, and by the name that the sandbox asked for, whatever it says inside. */
async function secure(
  target: Target,
  outer: Socket,
  trusted = outgoingContext(),
): Promise<TLSSocket | Answer> {
  const bare = bareHost(target);
  const socket = connectTls({
    socket: outer,
    host: bare,
    ...(isIP(bare) === 0 && { servername: bare }),
    secureContext: trusted,
    ALPNProtocols: ["http/1.1"],
  });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(doorLimits.connectMs) });
    socket.on("error", () => socket.destroy());
    return socket;
  } catch (error) {
    socket.on("error", () => {});
    socket.destroy();
    const { host, port } = target;
    const [phrase, why] = whyInsecure(error as NodeJS.ErrnoException, host);
    return fault(502, phrase, `${host}:${port} ${why}: nothing was sent to it.`);
  }
}

/** Faults of certificates have codes of their own in several families. */
function whyInsecure({ code = "no code" }: NodeJS.ErrnoException, host: string): [string, string] {
  if (code === "ABORT_ERR")
    return ["Host not reached", `did not begin TLS within ${doorLimits.connectMs / 1000} seconds`];
  return isCertificateCode(code)
    ? ["Host not trusted", `could not show that it is ${host} (${code})`]
    : ["Host not reached", `could not be spoken to in TLS (${code})`];
}

export async function forwardOpened(
  reach: Reach,
  opened: Opened,
  { incoming, response }: { incoming: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const end = reach.begin();
  if (end === undefined) return answer(response, tooMany);
  response.sendDate = false;
  const endHere = opened.begin();
  try {
    const request = read(opened, incoming);
    if ("status" in request) return answer(response, request);
    const way = await wayOf(reach, opened);
    if ("status" in way) return answer(response, way);
    const { agent } = opened;
    await sendOn(request, { incoming, response, agent, ...way, mayHave: true });
  } catch (error) {
    reach.options.world.logger.error({ error }, "a request of a sandbox failed");
    response.destroy();
  } finally {
    endHere();
    end();
  }
}

async function wayOf(
  reach: Reach,
  opened: Opened,
): Promise<{ secrets: SecretsFor; socket: TLSSocket } | Answer> {
  const refusal = await judgeNow(reach, opened.target);
  if (refusal !== undefined) return refusal;
  const secrets = await reach.secretsFor(opened.target);
  if ("status" in secrets) return secrets;
  const socket = await opened.outer();
  if ("status" in socket) return socket;
  return { secrets, socket };
}

function read({ target }: Opened, incoming: IncomingMessage): ForwardedRequest | Answer {
  const { url: path = "/", method = "GET" } = incoming;
  if (!path.startsWith("/") && path !== "*") return notAPath;
  const headers = headersToSend(incoming);
  if (headers === undefined) return noCoding;
  return { target, scheme: "https", method, path, headers, body: incoming };
}

const notAPath = fault(
  400,
  "Not a path",
  "Inside a tunnel a request names a path of its host, such as GET /path.",
);

/** Rule SBX105: another protocol, such as WebSocket, where no secret is to be put in. */
export async function upgradeOpened(
  reach: Reach,
  opened: Opened,
  { incoming, head }: { incoming: IncomingMessage; head: Buffer },
): Promise<void> {
  const { inner } = opened;
  inner.on("error", () => inner.destroy());
  const request = read(opened, incoming);
  if ("status" in request) return answerSocket(inner, request);
  try {
    const way = await wayOf(reach, opened);
    if ("status" in way) return answerSocket(inner, way);
    const { headers, used } = putIntoHeaders(request.headers, way.secrets.all, new SecretRoom());
    if (used.size > 0) return answerSocket(inner, noSecretUpgrade);
    if (inner.destroyed || way.socket.destroyed) return void inner.destroy();
    const outgoing = send({
      agent: opened.agent,
      method: request.method,
      path: request.path,
      headers: [
        "host",
        hostHeader(opened.target, "https"),
        ...headers,
        "connection",
        "upgrade",
        "upgrade",
        incoming.headers.upgrade ?? "",
      ],
      maxHeaderSize: doorLimits.headBytesMax,
    });
    outgoing.once("error", () => answerSocket(inner, brokenOff(opened.target)));
    outgoing.once("upgrade", (reply, socket, first) => {
      socket.on("error", () => socket.destroy());
      inner.write(headOf(reply, ["connection", "upgrade", "upgrade", reply.headers.upgrade ?? ""]));
      if (first.length > 0) inner.write(first);
      if (head.length > 0) socket.write(head);
      join(inner, socket);
      join(socket, inner);
    });
    outgoing.once("response", (reply) => {
      inner.write(headOf(reply, ["connection", "close"]));
      reply.on("error", () => inner.destroy());
      reply.pipe(inner);
    });
    outgoing.end();
  } catch (error) {
    reach.options.world.logger.error({ error }, "a request of a sandbox failed");
    inner.destroy();
  }
}

const noSecretUpgrade = fault(
  501,
  "No upgrade with a credential",
  "A request for another protocol, such as WebSocket, goes on only where no header holds the placeholder of a credential: what came back could not be looked through.",
);

function headOf(reply: IncomingMessage, more: readonly string[]): string {
  const lines = pairs([...headersOf(reply), ...more]).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${reply.statusCode ?? 502} ${phraseOf(reply)}`;
  return [status, ...lines, "", ""].join("\r\n");
}
