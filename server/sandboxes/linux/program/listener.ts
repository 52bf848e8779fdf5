// The socket at which a sandbox finds its network. It is made in the network of the sandbox and handed to the server
// before a program of the agent runs: no process has to stand inside, and nothing there can close it or take its place.
import { doorHost, doorPort } from "../../limits.ts";
import type { Program } from "./program.ts";
import { firstFree } from "./steps.ts";

/** Where the runner finds what Node.js calls its IPC channel: a socket that descriptors can be sent over. */
export const channelAtStart = 1;
/** Where it lies until the listener is made: past what the steps in between open. */
export const channelPlace = 20;

const closeOnExec = 0o2_000_000;
const [ipv4, stream] = [2, 1];
const backlog = 128;

/** The loopback must be up: before, no address is there to listen at. */
export function makeListener(program: Program): void {
  program.call("socket", ipv4, stream | closeOnExec, 0);
  program.call("bind", firstFree, socketAddress(), 16);
  program.call("listen", firstFree, backlog);
  program.call("sendmsg", channelPlace, { message: handOver, descriptor: firstFree }, 0);
  program.call("close", firstFree);
  program.call("close", channelPlace);
}

/**
 * As a child that is Node.js itself hands over a server: `child_process` has no public words for it, but those that it
 * uses have been the same since 2011, and it is our own Node.js that reads them.
 */
const handOver = '{"cmd":"NODE_HANDLE","type":"net.Server","msg":"listener"}\n';

/** `struct sockaddr_in`. */
function socketAddress(): Buffer {
  const address = Buffer.alloc(16);
  address.writeUInt16LE(ipv4);
  address.writeUInt16BE(doorPort, 2);
  address.set(doorHost.split(".").map(Number), 4);
  return address;
}
