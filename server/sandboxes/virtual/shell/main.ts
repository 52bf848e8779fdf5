// The process of one virtual sandbox. It has no environment, may open the files of the library and its own workspace
// alone, and is killed where a call takes too long.
import { Worker } from "node:worker_threads";
import type { CallMessage, EndMessage, StartMessage } from "../messages.ts";
import { runShell } from "./shell.ts";

type Message = { start: StartMessage } | { call: CallMessage };

/**
 * A loop of the shell can keep this process from hearing that the server is gone, so another thread looks. Without a
 * server the process belongs to another one. What lies beside the heap is in no limit of Node.js, so that thread looks
 * at all of the process, too.
 */
const [mostBytes = "0"] = process.argv.slice(2);
const watch = `
const server = ${process.ppid};
setInterval(() => {
  if (process.ppid !== server || process.memoryUsage.rss() > ${Number(mostBytes)})
    process.kill(process.pid, "SIGKILL");
}, 500);`;
new Worker(watch, { eval: true }).unref();

const calls: CallMessage[] = [];
let wanted: ((call: CallMessage) => void) | undefined;

const send = (end: EndMessage) => process.send?.({ end });

function next(): Promise<CallMessage> {
  const call = calls.shift();
  return call === undefined ? new Promise((resolve) => (wanted = resolve)) : Promise.resolve(call);
}

process.on("message", (message: Message) => {
  if ("start" in message) void runShell(message.start, { next, ended: send });
  else if (wanted === undefined) calls.push(message.call);
  else {
    wanted(message.call);
    wanted = undefined;
  }
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });
