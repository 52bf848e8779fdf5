// The open requests of a server, and how each connection is told that it ends.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface OpenRequests {
  readonly open: ReadonlySet<ServerResponse>;
  /** False for a request behind the answer that closes its connection: nothing may be done for it. */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
  /** The newest answer of a connection, whatever has become of it. */
  latest(socket: Socket): ServerResponse | undefined;
  /** From now on the last answer of each connection says `connection: close`. */
  enterLameDuck(): void;
}

export function makeOpenRequests(): OpenRequests {
  const open = new Set<ServerResponse>();
  const latest = new WeakMap<Socket, ServerResponse>();
  const closing = new WeakSet<ServerResponse>();
  let leaving = false;

  const close = (response: ServerResponse) => {
    if (response.headersSent) return;
    response.setHeader("connection", "close");
    closing.add(response);
  };

  return {
    open,
    begin: ({ socket }, response) => {
      const earlier = latest.get(socket);
      if (earlier !== undefined && closing.has(earlier)) {
        if (earlier.headersSent) return false;
        // Sent one after the other without waiting: all that have arrived are answered, and the last one closes.
        earlier.removeHeader("connection");
        closing.delete(earlier);
      }
      open.add(response);
      latest.set(socket, response);
      response.once("close", () => open.delete(response));
      if (leaving) close(response);
      return true;
    },
    latest: (socket) => latest.get(socket),
    enterLameDuck: () => {
      if (leaving) return;
      leaving = true;
      for (const response of open)
        if (latest.get(response.req.socket) === response) close(response);
    },
  };
}
