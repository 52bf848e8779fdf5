// Metrics of several worker processes as one.
import assert from "node:assert/strict";
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import { gatherClusterMetrics, joinClusterMetrics } from "./cluster-metrics.ts";
import { openMetrics } from "./metrics.ts";

function valueIn(text: string, series: string): number {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

async function sumsUp(t: TestContext): Promise<void> {
  cluster.setupPrimary({ exec: import.meta.filename, execArgv: [], silent: true });
  const stop = gatherClusterMetrics(cluster);
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
  const ask = async (worker: Worker) => {
    const told = heard(worker, "text");
    worker.send({ test: "tell" });
    return String((await told)["value"]);
  };
  for (const worker of workers) {
    const text = await ask(worker);
    assert.equal(valueIn(text, 't_total{who="all"}'), 3);
    assert.equal(valueIn(text, "t_seconds_count"), 3);
    assert.equal(valueIn(text, 't_seconds_bucket{le="1"}'), 3);
    assert.equal(valueIn(text, "t_now"), 3);
    assert.equal(valueIn(text, "t_worst"), 3);
  }
  three.process.kill("SIGKILL");
  await once(three, "exit");
  two.send({ test: "count" });
  const text = await ask(two);
  assert.equal(valueIn(text, 't_total{who="all"}'), 4);
  assert.equal(valueIn(text, "t_seconds_count"), 3);
  assert.equal(valueIn(text, "t_now"), 2);
  one.process.kill("SIGKILL");
  await once(one, "exit");
  assert.equal(valueIn(await ask(two), 't_total{who="all"}'), 4);
}

async function heard(worker: Worker, kind: string): Promise<Record<string, unknown>> {
  for (;;) {
    const [message] = (await once(worker, "message")) as [Record<string, unknown>];
    if (message["test"] === kind) return message;
  }
}

/** This file is also the worker that it starts. */
function asWorker(): void {
  const metrics = openMetrics();
  const counted = metrics.counter({ name: "t_total", help: "h", labels: ["who"] }).with("all");
  const seconds = metrics.histogram({ name: "t_seconds", help: "h", labels: [], buckets: [1, 2] });
  metrics.gauge({ name: "t_now", help: "h", labels: [] }).with().set(1);
  const worst = metrics.gauge({ name: "t_worst", help: "h", labels: [], aggregator: "max" });
  worst.with().set(cluster.worker?.id ?? 0);
  counted.inc();
  seconds.with().observe(0.5);
  const joined = joinClusterMetrics(metrics);
  process.on("message", (message: Record<string, unknown>) => {
    if (message["test"] === "count") counted.inc();
    if (message["test"] === "tell")
      void joined.text().then((value) => process.send?.({ test: "text", value }));
  });
  process.send?.({ test: "ready" });
}

if (cluster.isWorker) asWorker();
else void test("[OBS7] any worker answers with the sum, and what a dead one counted stays", sumsUp);
