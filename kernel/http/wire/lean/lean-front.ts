// In front of a server of node:http: takes its connections first, and hands over those that send what is not canonical.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { httpLimits } from "../../limits.ts";
import { LeanConnection, type LeanServer } from "./lean-connection.ts";

export interface LeanFront {
  /** Ends the connections on which no request is being answered. */
  closeIdle(): void;
  closeAll(): void;
}

export type LeanFrontOptions = Pick<LeanServer, "paths" | "serve" | "followed"> & {
  connectionCheckMs: number;
};

export function openLeanFront(server: Server, options: LeanFrontOptions): LeanFront {
  const { paths, serve, followed, connectionCheckMs } = options;
  const connections = new Set<LeanConnection>();
  const takers = server.listeners("connection");
  server.removeAllListeners("connection");
  const leanServer: LeanServer = {
    paths,
    serve,
    followed,
    keepAliveTimeoutMs: server.keepAliveTimeout,
    headersTimeoutMs: server.headersTimeout,
    silenceTimeoutMs: httpLimits.silenceTimeoutMs,
    handOver: (socket) => {
      for (const take of takers) take.call(server, socket);
    },
    broken: (code, socket) => {
      const error = Object.assign(new Error("The request did not arrive whole."), { code });
      server.emit("clientError", error, socket);
    },
    forget: (connection) => void connections.delete(connection),
  };
  server.on("connection", (socket: Socket) => {
    connections.add(new LeanConnection(socket, leanServer));
  });
  // One for all connections: a timer each would be set twice a request.
  const checking = setInterval(() => {
    const nowMs = performance.now();
    for (const connection of connections) connection.check(nowMs);
  }, connectionCheckMs).unref();
  server.once("close", () => clearInterval(checking));
  return {
    closeIdle: () => {
      for (const connection of connections) if (connection.isIdle) connection.socket.destroy();
    },
    closeAll: () => {
      for (const { socket } of connections) socket.destroy();
    },
  };
}
