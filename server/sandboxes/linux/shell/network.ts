// What a sandbox has of a network, seen from the server: the socket that listens inside, and its connections.
import type { ChildProcess } from "node:child_process";
import type { Server, Socket } from "node:net";
import type { SandboxNetwork } from "../../provider.ts";

/** Takes the listener as soon as the runner has made it; the result ends it with all its connections. */
export function openNetwork(child: ChildProcess, network: SandboxNetwork | undefined): () => void {
  if (network === undefined) return () => {};
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let isEnded = false;
  child.once("message", (_words, handle) => {
    server = handle as Server;
    child.disconnect();
    if (isEnded) {
      server.close();
      return;
    }
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      // Whoever takes it listens too; an error that comes before or after that is the sandbox's own matter.
      socket.on("error", () => {});
      network.connect(socket);
    });
  });
  return () => {
    isEnded = true;
    server?.close();
    for (const socket of sockets) socket.destroy();
    network.endAll();
  };
}
