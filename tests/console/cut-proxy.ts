// A way to the server that can be cut: what is open breaks off, and nothing new comes through until it is mended.
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export async function openCutProxy(to: string) {
  const { hostname, port } = new URL(to);
  const open = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket) => {
    open.add(socket);
    // Either end may break off: that is what this is for.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
  };
  const server = createServer((socket) => {
    keep(socket);
    if (isCut) {
      socket.destroy();
      return;
    }
    const beyond = connect(Number(port), hostname);
    keep(beyond);
    socket.pipe(beyond).pipe(socket);
    socket.on("close", () => beyond.destroy());
    beyond.on("close", () => socket.destroy());
  });
  server.listen(0, hostname);
  await once(server, "listening");
  const drop = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://${hostname}:${(server.address() as AddressInfo).port}`,
    cut: (): void => {
      isCut = true;
      drop();
    },
    mend: (): void => {
      isCut = false;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      drop();
      await once(server, "close");
    },
  };
}
