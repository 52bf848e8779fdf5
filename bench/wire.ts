// The cheapest client there is: requests as bytes on connections that stay open, replies counted and hardly looked at.
// What a benchmark's client does on the same cores is time that its server does not have.
import { connect, type Socket } from "node:net";
import { once } from "node:events";

export interface RawConnection {
  /** Resolves with the body's bytes, or throws what a reply other than 200 says. */
  ask(method: "GET" | "POST", path: string, body?: string): Promise<Buffer>;
  close(): void;
}

const headEnd = Buffer.from("\r\n\r\n");

/** One connection, one request at a time. */
export async function openRawConnection(
  url: string,
  headers: Record<string, string>,
): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.setNoDelay(true);
  const lines = Object.entries({ host: `${hostname}:${port}`, ...headers });
  const common = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return {
    ask: async (method, path, body = "") => {
      const length = method === "GET" ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
      socket.write(`${method} ${path} HTTP/1.1\r\n${common}${length}\r\n${body}`);
      return readReply(socket);
    },
    close: () => void socket.destroy(),
  };
}

function readReply(socket: Socket): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let held: Buffer = Buffer.alloc(0);
  const settle = (act: () => void) => {
    socket.off("data", onData).off("close", onClose);
    act();
  };
  const onClose = () => settle(() => reject(new Error("The connection was closed.")));
  const onData = (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const head = held.indexOf(headEnd);
    if (head === -1) return;
    const text = held.toString("latin1", 0, head);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]);
    const body = held.subarray(head + headEnd.length);
    if (Number.isNaN(length)) settle(() => reject(new Error(`No length: ${text}`)));
    else if (body.length < length) return;
    else if (text.startsWith("HTTP/1.1 200 ")) settle(() => resolve(body));
    else settle(() => reject(new Error(`${text}\n\n${body.toString()}`)));
  };
  socket.on("data", onData).on("close", onClose);
  return promise;
}
