// A socket of our own in front of the database's, for tests that hold up, break or close the connections to it.
import { once } from "node:events";
import { type Socket, connect, createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { type ConnectionSettings, clientConfig } from "../kernel/sql/connection.ts";

export interface InterceptedSocket {
  /** To the same database, through here. */
  connection: ConnectionSettings;
  open(): Promise<void>;
  /** Stops listening and breaks every connection. */
  close(): Promise<void>;
  /** Both ends of every connection. */
  sockets: ReadonlySet<Socket>;
}

/** `carry` takes the bytes of each connection between its near and its far end. */
export async function openInterceptedSocket(
  to: ConnectionSettings,
  directory: string,
  carry: (near: Socket, far: Socket) => void,
): Promise<InterceptedSocket> {
  // The driver has parsed all that an address can say.
  const { host, port, user, database } = new pg.Client(clientConfig(to));
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = host.startsWith("/")
      ? connect(join(host, `.s.PGSQL.${port}`))
      : connect(port, host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {});
      one.once("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    carry(near, far);
  });
  const open = async () => {
    if (server.listening) return;
    server.listen(join(directory, ".s.PGSQL.5432"));
    await once(server, "listening");
  };
  await open();
  return {
    connection: {
      socketDirectory: directory,
      ...(user !== undefined && { user }),
      ...(database !== undefined && { database }),
    },
    sockets,
    open,
    close: async () => {
      const closed = server.listening ? once(server, "close") : undefined;
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
