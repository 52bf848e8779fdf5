// The requests of a server that are being served, and what the last answer of a connection says of its end.
import type { Socket } from "node:net";
import { LinkedList } from "../../base/linked-list.ts";
import type { HttpRequest, HttpResponse } from "./http-exchange.ts";

/** The open requests of a server; says on each connection when it ends. */
export interface OpenRequests {
  readonly open: Pick<LinkedList<HttpResponse>, "size">;
  /** False for a request behind the answer that closes its connection: nothing may be done for it. */
  begin(request: HttpRequest, response: HttpResponse): boolean;
  /** More has come behind a response that is the newest of its connection: it will not be the last. */
  expectAnother(response: HttpResponse): void;
  /** The newest answer of a connection, also one that has ended. */
  latest(socket: Socket): HttpResponse | undefined;
  /** From now on the last answer of each connection says `connection: close`. */
  enterLameDuck(): void;
}

export function makeOpenRequests(): OpenRequests {
  const open = new LinkedList<HttpResponse>();
  const latest = new WeakMap<Socket, HttpResponse>();
  const closing = new WeakSet<HttpResponse>();
  const followed = new WeakSet<HttpResponse>();
  let leaving = false;

  const closeAfter = (response: HttpResponse) => {
    if (response.headersSent || followed.has(response)) return;
    response.setHeader("connection", "close");
    closing.add(response);
  };

  /** Sent one after the other without waiting: all that have arrived are answered, and the last one closes. */
  const keepAfter = (response: HttpResponse) => {
    response.removeHeader("connection");
    closing.delete(response);
  };

  return {
    open,
    begin: ({ socket }, response) => {
      const earlier = latest.get(socket);
      if (earlier !== undefined && closing.has(earlier)) {
        if (earlier.headersSent) return false;
        keepAfter(earlier);
      }
      const link = open.add(response);
      latest.set(socket, response);
      response.once("close", () => open.remove(link));
      if (leaving) closeAfter(response);
      return true;
    },
    expectAnother: (response) => {
      if (closing.has(response) && !response.headersSent) keepAfter(response);
      followed.add(response);
    },
    latest: (socket) => latest.get(socket),
    enterLameDuck: () => {
      if (leaving) return;
      leaving = true;
      for (const response of open)
        if (latest.get(response.req.socket) === response) closeAfter(response);
    },
  };
}
