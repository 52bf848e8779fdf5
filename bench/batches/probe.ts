// Asks servers for their health all the time: the longest that it waits is the longest that nothing else was answered.
import { Client } from "undici";
import { answerQuestions } from "../helper.ts";

const everyMs = 5;

/** How many kept-alive connections to which server: each worker gets one. */
export interface Target {
  url: string;
  connections: number;
}

export type Question = { kind: "start"; targets: Target[] } | { kind: "stop" };

let stopping = new AbortController();
let watching: Promise<number[]> = Promise.resolve([]);

answerQuestions((asked) => {
  const question = asked as Question;
  if (question.kind === "start") return start(question.targets);
  stopping.abort();
  return watching;
});

async function start(targets: Target[]): Promise<void> {
  const opened: Client[][] = [];
  for (const { url, connections } of targets) {
    const clients = Array.from({ length: connections }, () => new Client(url));
    // One after the other: a server with several workers hands out its connections round robin.
    for (const client of clients) await ask(client);
    opened.push(clients);
  }
  stopping = new AbortController();
  watching = Promise.all(
    opened.map(async (clients) => Math.max(...(await Promise.all(clients.map(watch))))),
  );
}

/** The longest wait for one answer, in milliseconds. */
async function watch(client: Client): Promise<number> {
  let longestMs = 0;
  while (!stopping.signal.aborted) {
    const tookMs = await ask(client);
    longestMs = Math.max(longestMs, tookMs);
    if (tookMs < everyMs) await new Promise((resolve) => setTimeout(resolve, everyMs - tookMs));
  }
  await client.close();
  return longestMs;
}

async function ask(client: Client): Promise<number> {
  const startMs = performance.now();
  const { body } = await client.request({ path: "/healthz", method: "GET" });
  await body.dump();
  return performance.now() - startMs;
}
