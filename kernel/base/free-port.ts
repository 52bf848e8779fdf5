// Whether an address can be had, found out before anything is made for it.
import { once } from "node:events";
import { connect, Server } from "node:net";
import { networkInterfaces } from "node:os";
import { ExitError } from "./failure.ts";

const privilegedPortsEnd = 1024;
const answerMsMax = 1_000;

/**
 * Throws the ExitError that listening there would give. It listens at the port only where that should be refused, as at
 * a privileged one: elsewhere a client that comes just then, while a server restarts, would be accepted and cut off.
 */
export async function expectAddress(host: string, port: number): Promise<void> {
  const isPrivileged = port < privilegedPortsEnd && process.getuid?.() !== 0;
  const probe = new Server();
  try {
    await once(probe.listen({ host, port: isPrivileged ? port : 0 }), "listening");
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, host, port);
  }
  await new Promise<void>((resolve) => void probe.close(() => resolve()));
  if (port === 0) return;
  for (const address of addressesOf(host))
    if (await isTaken(address, port))
      throw listenError(
        Object.assign(new Error("another program answers there"), { code: "EADDRINUSE" }),
        host,
        port,
      );
}

/** A program that listens on one address of the machine is in the way of a server that wants all of them. */
function addressesOf(host: string): string[] {
  if (host !== "0.0.0.0" && host !== "::") return [host];
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all
    .filter(({ family, scopeid }) => (host === "::" || family === "IPv4") && !scopeid)
    .map(({ address }) => address);
}

const isTaken = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(answerMsMax, () => end(false));
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });

/** The sentence for an address that cannot be had. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number): unknown {
  const sentence = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program; stop that, or choose another port.`,
    EACCES: `This user may not listen on port ${port}; choose a port from 1024 on.`,
    EADDRNOTAVAIL: `This machine has no address ${host}; listen on one that it has, or on 0.0.0.0.`,
    ENOTFOUND: `The host name ${host} is not known; give an address of this machine.`,
  }[error.code ?? ""];
  return sentence === undefined ? error : new ExitError(sentence, 1, error);
}
