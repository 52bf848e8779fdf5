// Metrics of one process, and of several as one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openInstruments } from "./instruments.ts";
import { openMetrics } from "./metrics.ts";

function valueIn(text: string, series: string): number {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

test("children are bound once and all of them are in the text", async () => {
  const metrics = openMetrics();
  const seen = metrics.counter({ name: "t_total", help: "h", labels: ["a", "b"] });
  assert.equal(seen.with("x", "y"), seen.with("x", "y"));
  seen.with("x", "y").inc();
  seen.with("x", "y").inc(2);
  seen.with('quo"te', "z\\").inc();
  const text = await metrics.text();
  assert.equal(valueIn(text, 't_total{a="x",b="y"}'), 3);
  assert.equal(valueIn(text, 't_total{a="quo\\"te",b="z\\\\"}'), 1);
  assert.throws(() => metrics.counter({ name: "t_total", help: "h", labels: [] }));
});

test("[OBS6] a label that holds something unbounded ends in other", async () => {
  const metrics = openMetrics();
  const wild = metrics.counter({ name: "wild_total", help: "h", labels: ["path"] });
  for (let i = 0; i < 5_000; i++) wild.with(`/p/${i}`).inc();
  const text = await metrics.text();
  assert.equal(valueIn(text, 'wild_total{path="other"}'), 3_000);
  assert.equal(valueIn(text, 'wild_total{path="/p/7"}'), 1);
});

test("the house's metrics have their names", async () => {
  const metrics = openMetrics();
  const house = openInstruments(metrics, {
    dbStats: () => ({ open: 5, idle: 3, waiting: 1 }),
  });
  house.httpRequests.with("files.create", "200").inc();
  house.httpSeconds.with("files.create").observe(0.3);
  house.jobsFinished.with("mail", "done").inc();
  house.jobSeconds.with("mail").observe(1);
  house.jobsWaiting.with("ready").set(7);
  const blockedUntil = performance.now() + 150;
  await new Promise((resolve) => setTimeout(resolve, 60)); // lets the sampling begin
  while (performance.now() < blockedUntil + 60);
  await new Promise((resolve) => setTimeout(resolve, 40));
  const text = await metrics.text();
  house.close();
  const expected: [string, number][] = [
    ['plinth_http_requests_total{operation="files.create",status="200"}', 1],
    ['plinth_http_request_seconds_bucket{le="0.25",operation="files.create"}', 0],
    ['plinth_http_request_seconds_bucket{le="0.5",operation="files.create"}', 1],
    ['plinth_http_request_seconds_count{operation="files.create"}', 1],
    ['plinth_jobs_finished_total{kind="mail",outcome="done"}', 1],
    ['plinth_jobs_waiting{state="ready"}', 7],
    ['plinth_db_connections{state="busy"}', 2],
    ['plinth_db_connections{state="waiting"}', 1],
    ["plinth_processes", 1],
  ];
  for (const [series, value] of expected) assert.equal(valueIn(text, series), value, series);
  assert.ok(valueIn(text, 'plinth_process_memory_bytes{kind="rss"}') > 1_000_000);
  assert.ok(valueIn(text, 'plinth_event_loop_lag_seconds{percentile="100"}') > 0.05);
});
