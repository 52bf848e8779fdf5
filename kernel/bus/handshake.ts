// How two machines of one server come to trust a connection between them: an upgrade of a request to the server's own
// listener, signed with a key of the master key's by both sides, each over what the other has just made up.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { World } from "../context.ts";
import { busLimits } from "./limits.ts";

export type HandshakeWorld = Pick<World, "clock" | "random" | "secrets">;

const path = "/internal/bus";
const protocol = "plinth-bus";
const header = "plinth-bus";

/** A purpose for each step, so that no proof can be shown in place of another. */
const asking = "bus asking";
const answering = "bus answering";
const proving = "bus proving";

const nonceOf = ({ random }: HandshakeWorld) => random.bytes(18).toString("base64url");

/** What is signed for a step, if it is ours. */
function signedBy(
  { secrets }: HandshakeWorld,
  text: unknown,
  purpose: string,
): Record<string, unknown> | undefined {
  if (typeof text !== "string" || text.length > busLimits.proofBytesMax) return undefined;
  return secrets.verify(text, purpose) as Record<string, unknown> | undefined;
}

/**
 * Takes over the connection of a request that a peer has signed for this address just now; undefined for all others,
 * which are requests like any other. Who only repeats what a peer once said gets no further: the peer must sign what is
 * made up here for this connection, whichever process of the machine it has reached.
 */
export function acceptPeer(
  world: HandshakeWorld,
  request: IncomingMessage,
  { address, serve }: { address: string; serve: (connection: Socket) => void },
): ((connection: Socket, head: Buffer) => void) | undefined {
  if (request.url !== path || request.headers.upgrade !== protocol) return undefined;
  const asked = signedBy(world, request.headers[header], asking);
  if (asked?.["to"] !== address) return undefined;
  const ageMs = world.clock.now().getTime() - Number(asked["at"]);
  // Not NaN either.
  if (!(Math.abs(ageMs) <= busLimits.askingAgeMsMax)) return undefined;
  return (connection, head) => {
    const challenge = nonceOf(world);
    // A server's connections stay half open.
    connection.once("end", () => connection.destroy());
    const answer = world.secrets.sign({ nonce: asked["nonce"], challenge }, answering);
    connection.on("error", () => {});
    connection.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\n` +
        `${header}: ${answer}\r\n\r\n`,
    );
    readLine(connection, head, (line) => {
      const isPeer = signedBy(world, line, proving)?.["challenge"] === challenge;
      if (isPeer) serve(connection);
      else connection.destroy();
    });
  };
}

/** Connects to the machine at the address; `hear` gets a connection on which both have proved who they are. */
export function askPeer(
  world: HandshakeWorld,
  address: string,
  { hear, closed }: { hear: (connection: Duplex) => void; closed: () => void },
): { destroy(): void } {
  const nonce = nonceOf(world);
  const at = world.clock.now().getTime();
  const url = new URL(`${address}${path}`);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = send(url, {
    agent: false,
    timeout: busLimits.handshakeMsMax,
    headers: {
      connection: "upgrade",
      upgrade: protocol,
      [header]: world.secrets.sign({ to: address, at, nonce }, asking),
    },
  });
  let isUpgraded = false;
  request.on("upgrade", (response, connection: Socket, head) => {
    isUpgraded = true;
    connection.once("close", closed);
    connection.on("error", () => {});
    const answered = signedBy(world, response.headers[header], answering);
    if (answered?.["nonce"] !== nonce) {
      connection.destroy();
      return;
    }
    const { challenge } = answered;
    connection.setNoDelay(true);
    connection.write(`${world.secrets.sign({ challenge }, proving)}\n`);
    if (head.length > 0) connection.unshift(head);
    hear(connection);
  });
  request.on("timeout", () => request.destroy());
  request.on("response", () => request.destroy());
  request.on("error", () => {});
  request.once("close", () => {
    if (!isUpgraded) closed();
  });
  request.end();
  return request;
}

/** The first line, which must come soon and be short; what comes behind it is left in the connection. */
function readLine(connection: Socket, head: Buffer, take: (line: string) => void): void {
  let bytes = head;
  connection.setTimeout(busLimits.handshakeMsMax, () => connection.destroy());
  connection.setNoDelay(true);
  const look = () => {
    const end = bytes.indexOf("\n");
    if (end === -1 && bytes.length <= busLimits.proofBytesMax) return;
    connection.off("data", read).setTimeout(0);
    if (end === -1) {
      connection.destroy();
      return;
    }
    connection.pause();
    if (bytes.length > end + 1) connection.unshift(bytes.subarray(end + 1));
    take(bytes.toString("utf8", 0, end));
    connection.resume();
  };
  const read = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    look();
  };
  connection.on("data", read);
  look();
}
