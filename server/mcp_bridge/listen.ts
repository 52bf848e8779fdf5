// The address of a bridge: HTTP of this machine around the handler of MCP.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { Readable } from "node:stream";
import type { AddressInfo } from "node:net";
import { isAtHost, loopbackHosts } from "../../kernel/base/host-name.ts";

type Handler = (request: Request) => Promise<Response>;

interface Address {
  host: string;
  port: number;
  /** Host names beside those of loopback by which clients may ask. */
  allowedHosts: readonly string[];
  fault(error: unknown): void;
}

export async function listen(handler: Handler, address: Address) {
  const server = createServer((request, response) => {
    answer(handler, address, request, response).catch((error: unknown) => {
      address.fault(error);
      if (response.headersSent) response.destroy();
      else refuse(response, 500, "The bridge failed unexpectedly.");
    });
  });
  server.listen(address.port, address.host.replace(/^\[|\]$/g, ""));
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://${address.host}:${port}/mcp`, close: () => closeNow(server) };
}

async function closeNow(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
}

async function answer(
  handler: Handler,
  { allowedHosts }: Address,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { host, origin } = incoming.headers;
  const isOwn = (url: string) => isAtHost(url, [...loopbackHosts, ...allowedHosts]);
  if (!isOwn(`http://${host ?? ""}`) || (origin !== undefined && !isOwn(origin)))
    return refuse(response, 403, "Host or Origin is not of this bridge; --allow-host names one.");
  if (incoming.url?.split("?")[0] !== "/mcp")
    return refuse(response, 404, "There is nothing here; the address of the bridge is /mcp.");
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const answered = await handler(requestOf(incoming, gone.signal));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (answered.body === null) return void response.end();
  for await (const bytes of answered.body) {
    if (response.destroyed) break;
    if (!response.write(bytes)) await drained(response);
  }
  response.end();
}

const drained = (response: ServerResponse) =>
  Promise.race([once(response, "drain"), once(response, "close")]);

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", headers: given } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  const url = new URL("/mcp", "http://127.0.0.1");
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal });
  const body = Readable.toWeb(incoming) as unknown as NonNullable<RequestInit["body"]>;
  return new Request(url, { method, headers, signal, body, duplex: "half" });
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const error = { jsonrpc: "2.0", id: null, error: { code: -32000, message } };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(error));
}
