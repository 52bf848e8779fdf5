// Stands between a client and the server, passes everything on as it comes, and keeps what was asked.
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

export interface Exchange {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
  status: number;
  contentType: string;
}

export interface Recorder extends AsyncDisposable {
  url: string;
  exchanges: readonly Exchange[];
}

export async function openRecorder(target: string): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  const server = createServer((asked, reply) => void pass(target, asked, reply, exchanges));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function pass(
  target: string,
  asked: IncomingMessage,
  reply: ServerResponse,
  exchanges: Exchange[],
): Promise<void> {
  const { method = "GET", url: path = "/", headers } = asked;
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const { host, hostname, port } = new URL(target);
  const options = { hostname, port, method, path, headers: { ...headers, host }, agent: false };
  const onward = request(options, (answer) => {
    const { statusCode: status = 502 } = answer;
    const contentType = answer.headers["content-type"] ?? "";
    exchanges.push({ method, path, headers, body: body.toString(), status, contentType });
    reply.writeHead(status, answer.headers);
    answer.pipe(reply);
  });
  // A client that leaves, leaves the server, too; a server that is gone is gone for the client.
  reply.on("close", () => onward.destroy());
  onward.on("error", () => reply.destroy());
  onward.end(body);
}
