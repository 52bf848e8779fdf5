// What bench/batches.ts compares with: plain work on the same bytes, in a process that does nothing else.
import { createReadStream, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerQuestions } from "../helper.ts";

export type Question =
  | { kind: "parse"; file: string }
  | { kind: "read"; file: string; times: number }
  | { kind: "listen" };

/** Of the clock on the wall, and of the CPU with all threads of the process. */
export interface Took {
  seconds: number;
  cpuSeconds: number;
}

answerQuestions((asked) => {
  const question = asked as Question;
  if (question.kind === "parse") return timed(() => parse(question.file));
  if (question.kind === "read") return timed(() => read(question.file, question.times));
  return listenBare();
});

async function timed(work: () => void | Promise<void>): Promise<Took> {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await work();
  const seconds = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}

/** The least that a server does with such a body: all of it in memory, every item looked at. */
function parse(file: string): void {
  const { requests } = JSON.parse(readFileSync(file, "utf8")) as {
    requests: { custom_id: string; params: { model: string } }[];
  };
  const ids = new Set<string>();
  for (const { custom_id, params } of requests) if (params.model !== "") ids.add(custom_id);
  if (ids.size !== requests.length) throw new Error("a custom_id came twice");
}

async function read(file: string, times: number): Promise<void> {
  let bytes = 0;
  for (let time = 0; time < times; time++)
    for await (const chunk of createReadStream(file)) bytes += (chunk as Buffer).length;
  if (bytes === 0) throw new Error(`${file} is empty`);
}

/** A server without other work: the delay of its answers is the machine's. */
async function listenBare(): Promise<string> {
  const server = createServer((_request, response) => void response.end("{}"));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
