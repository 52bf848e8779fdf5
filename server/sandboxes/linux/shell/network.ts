// What a sandbox has of a network, seen from the server: the socket that listens inside, and its connections.
import type { ChildProcess } from "node:child_process";
import type { Server, Socket } from "node:net";
import type { SandboxNetwork } from "../../provider.ts";

/** Takes the listener as soon as the runner has made it; the result ends it. */
export function openNetwork(child: ChildProcess, network: SandboxNetwork | undefined): () => void {
  if (network === undefined) return () => {};
  let server: Server | undefined;
  let isEnded = false;
  child.once("message", (_words, handle) => {
    server = handle as Server;
    // The runner closes its end, too, and may have been first.
    if (child.connected) child.disconnect();
    if (isEnded) {
      server.close();
      return;
    }
    server.on("connection", (socket: Socket) => {
      // Whoever takes it listens too; an error that comes before or after that is the sandbox's own matter.
      socket.on("error", () => {});
      network.connect(socket);
    });
  });
  return () => {
    isEnded = true;
    server?.close();
    network.endAll();
  };
}
