// A door with a secret, servers that the secret may go to, and a client that speaks TLS in a tunnel.
import { once } from "node:events";
import { type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls, createSecureContext, type TLSSocket } from "node:tls";
import { systemClock } from "../../../kernel/base/clock.ts";
import { systemRandom } from "../../../kernel/base/random.ts";
import { makeAuthority } from "../../../server/sandboxes/door/secrets/authority.ts";
import type { DoorSecret } from "../../../server/sandboxes/door/secrets/secrets.ts";
import { type HouseOptions, listening, openDoorHouse } from "../door-house.ts";

export const placeholder = "placeholder_0123456789abcdef0123456789abcdef";
export const value = `top "secret" & more-${"x".repeat(20)}`;

const world = { clock: systemClock, random: systemRandom };
/** Of the outside: the hosts of these tests have their certificates from it. */
const outside = await makeAuthority(world);
/** Of a sandbox. */
const inside = await makeAuthority(world);
export const insideCertificate = inside.certificate;

/** In the place of what makes the secret of a test another one. */
export const secretOf = (more: Partial<DoorSecret> = {}): DoorSecret => ({
  placeholder,
  value,
  hosts: ["api.example"],
  places: { header: true, body: false },
  willBeUsed: async () => true,
  ...more,
});

export async function openSecretHouse(
  secrets: readonly DoorSecret[] | (() => Promise<readonly DoorSecret[] | undefined>),
  options: HouseOptions = {},
) {
  const read = typeof secrets === "function" ? secrets : async () => secrets;
  const house = await openDoorHouse({
    names: { "api.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]] },
    trusted: createSecureContext({ ca: outside.certificate }),
    secrets: { read, authority: inside },
    ...options,
  });
  return { ...house, tunnel: (target: string) => openTunnel(house.port, target) };
}

export const secureServer = (
  handle: RequestListener,
  { host = "api.example", authority = outside }: { host?: string; authority?: typeof outside } = {},
) =>
  createTlsServer(
    {
      SNICallback: async (_name, done) => done(null, await authority.contextFor(host)),
    },
    handle,
  );

export const secureWeb = (...given: Parameters<typeof secureServer>) =>
  listening(secureServer(...given));

export { inside as insideAuthority };

/** Says what it was asked, with its names in small letters. */
export const echo: RequestListener = async (request, response) => {
  const { method, url, headers } = request;
  const said = JSON.stringify({ method, url, headers, body: await text(request) });
  response.writeHead(200, { "content-length": Buffer.byteLength(said) }).end(said);
};

/** What was asked of it, and an answer that says nothing of it. */
export function keeper() {
  const asked: { url: string; headers: Record<string, unknown>; body: string }[] = [];
  const handle: RequestListener = async (request, response) => {
    const { url = "", headers } = request;
    asked.push({ url, headers, body: await text(request) });
    response.end("done");
  };
  return { asked, handle };
}

/** The head of the answer, and the connection that it leaves. */
async function openTunnel(port: number, target: string) {
  const socket = connect(port, "127.0.0.1");
  socket.write(`CONNECT ${target} HTTP/1.1\r\n\r\n`);
  const [head] = (await once(socket, "data")) as [Buffer];
  return { socket, head: head.toString() };
}

export async function openTls(
  port: number,
  target: string,
  servername = target.split(":")[0] ?? "",
): Promise<TLSSocket> {
  const { socket } = await openTunnel(port, target);
  const secured = connectTls({
    socket,
    servername,
    ca: insideCertificate,
    checkServerIdentity: () => undefined,
  });
  await once(secured, "secureConnect");
  return secured;
}

/** One request in a tunnel of its own; the whole answer. */
export async function ask(port: number, target: string, lines: readonly string[], body = "") {
  const socket = await openTls(port, target);
  socket.write(
    `${[...lines, `host: ${target.split(":")[0]}`, "connection: close", "", ""].join("\r\n")}${body}`,
    "latin1",
  );
  return await text(socket);
}
