// What stands between a command and its server, and may fail: a line that breaks, a server that is away.
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface FlakyProxy extends AsyncDisposable {
  url: string;
  /** Connections that were asked for since the beginning. */
  connections(): number;
  /** The next answer that is longer breaks after so many bytes, headers included. */
  breakAfter(bytes: number): void;
  /** Nobody answers until it is called again with false. */
  beAway(isAway: boolean): void;
}

export async function openFlakyProxy(server: string): Promise<FlakyProxy> {
  const { port } = new URL(server);
  const open = new Set<Socket>();
  let bytesLeft = Infinity;
  let isAway = false;
  let connections = 0;
  const join = (client: Socket) => {
    connections++;
    if (isAway) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), "127.0.0.1");
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on("error", () => {}).on("close", () => (open.delete(socket), other.destroy()));
    }
    client.pipe(upstream);
    upstream.on("data", (bytes: Buffer) => {
      client.write(bytes.subarray(0, bytesLeft));
      bytesLeft -= bytes.length;
      if (bytesLeft > 0) return;
      bytesLeft = Infinity;
      // What was written goes out first; then the line is cut.
      client.end(() => client.destroy());
    });
  };
  const listener = createServer(join).listen(0, "127.0.0.1");
  await once(listener, "listening");
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    connections: () => connections,
    breakAfter: (bytes) => void (bytesLeft = bytes),
    beAway: (away) => {
      isAway = away;
      if (away) for (const socket of open) socket.destroy();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      listener.close();
      await once(listener, "close");
    },
  };
}
