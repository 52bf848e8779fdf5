// Questions to all processes of one server.
import assert from "node:assert/strict";
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import { joinPeers, openPeers, relayPeers } from "./peers.ts";

async function tellEachOther(t: TestContext): Promise<void> {
  cluster.setupPrimary({ exec: import.meta.filename, execArgv: [], silent: true });
  const stop = relayPeers(cluster);
  const workers = [1, 2, 3].map(() => cluster.fork());
  t.after(async () => {
    stop();
    const left = Object.values(cluster.workers ?? {}).filter((each) => each !== undefined);
    await Promise.all(
      left.map(async (each) => {
        each.process.kill("SIGKILL");
        await once(each, "exit");
      }),
    );
  });
  await Promise.all(workers.map((worker) => heard(worker, "ready")));
  const [one, two, three] = workers as [Worker, Worker, Worker];
  const ask = async (worker: Worker, topic: string) => {
    const told = heard(worker, "told");
    worker.send({ test: "ask", topic });
    const { asked, answers } = (await told)["value"] as { asked: number; answers: unknown[] };
    return { asked, answers: answers.toSorted(byNumber) };
  };
  const ids = workers.map(({ id }) => id).toSorted(byNumber);
  for (const worker of workers)
    assert.deepEqual(await ask(worker, "id"), { asked: 3, answers: ids });
  assert.deepEqual(await ask(one, "nothing"), { asked: 3, answers: [null, null, null] });

  // One that is busy is left out, and the number says so.
  two.process.kill("SIGSTOP");
  assert.deepEqual(await ask(one, "id"), {
    asked: 3,
    answers: [one.id, three.id].toSorted(byNumber),
  });
  two.process.kill("SIGKILL");
  await once(two, "exit");
  assert.deepEqual(await ask(one, "id"), {
    asked: 2,
    answers: [one.id, three.id].toSorted(byNumber),
  });
}

const byNumber = (a: unknown, b: unknown) => Number(a) - Number(b);

async function heard(worker: Worker, kind: string): Promise<Record<string, unknown>> {
  for (;;) {
    const [message] = (await once(worker, "message")) as [Record<string, unknown>];
    if (message["test"] === kind) return message;
  }
}

/** This file is also the worker that it starts. */
function asWorker(): void {
  const peers = openPeers();
  peers.answer("id", () => cluster.worker?.id);
  const joined = joinPeers(peers);
  process.on("message", ({ test: kind, topic }: Record<string, unknown>) => {
    if (kind === "ask")
      void joined.ask(String(topic)).then((value) => process.send?.({ test: "told", value }));
  });
  process.send?.({ test: "ready" });
}

if (cluster.isWorker) asWorker();
else {
  test("[OBS8] any process is told what all of them say", tellEachOther);

  test("[OBS8] a process that is alone answers itself", async () => {
    const peers = openPeers();
    peers.answer("colour", () => "green");
    assert.deepEqual(await peers.ask("colour"), { asked: 1, answers: ["green"] });
    assert.equal(peers.localAnswer("smell"), undefined);
  });
}
