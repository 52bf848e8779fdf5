// Rule OBS13: the dashboard and the alert rules, with Prometheus' own tools and with a real Prometheus.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { countBacklog, countKept } from "../../server/operations/gauges.ts";
import { freePort } from "../free-port.ts";
import { openHouse, type House } from "../house.ts";
import { promtool, prometheusFault } from "../prometheus.ts";
import { until } from "../rules/support.ts";

const folder = join(import.meta.dirname, "../../docs/monitoring");
const skip = prometheusFault ?? false;

interface Panel {
  type: string;
  title: string;
  targets?: readonly { expr: string }[];
}
interface Dashboard {
  panels: readonly Panel[];
}

const dashboard = JSON.parse(
  readFileSync(join(folder, "plinth-dashboard.json"), "utf8"),
) as Dashboard;
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr: expr.replaceAll("$__rate_interval", "1m") })),
);

/** Nothing of it happens in a server that is well. */
const mayBeEmpty = new Set(["Lost on the bus"]);

test("[OBS13] the alert rules are well formed, and fire on what they are for", { skip }, () => {
  promtool(["check", "rules", join(folder, "plinth-alerts.yml")]);
  promtool(["test", "rules", join(folder, "plinth-alerts.test.yml")]);
});

test("[OBS13] a real Prometheus takes each query and rule, and finds data", { skip }, async () => {
  await using house = await openHouse({ sections: { models: modelsOfHouse } });
  await work(house);
  await using prometheus = await startPrometheus(house.url);
  await scraped(prometheus, 1);
  await work(house);
  await scraped(prometheus, 3);
  assert.ok(queries.length > 30, `only ${queries.length} queries were found`);
  for (const { title, expr } of queries) {
    const { status, error, data } = await prometheus.ask(`query?query=${encodeURIComponent(expr)}`);
    assert.equal(status, "success", `${title}: ${error}`);
    if (!mayBeEmpty.has(title)) assert.ok(data.result.length > 0, `${title} has no data: ${expr}`);
  }
  const rules = await until(async () => {
    const { data } = await prometheus.ask("rules");
    const [{ rules }] = data.groups;
    return rules.every(({ health }: { health: string }) => health !== "unknown") && rules;
  }, "the alert rules to be evaluated");
  for (const { name, health, lastError } of rules)
    assert.equal(health, "ok", `${name}: ${lastError}`);
});

const modelsOfHouse = {
  upstreams: { away: { kind: "messages", base_url: "http://127.0.0.1:9" } },
  models: [
    { id: "gone", upstream: "away" },
    { id: "dear", upstream: "simulator", prices: { input: 1_000, output: 2_000 } },
  ],
} as const;

/** Some of everything that the dashboard shows. */
async function work(house: House): Promise<void> {
  const { api_key: key, cookie, workspace_id } = house.organizations.platform;
  const params = {
    model: "dear",
    max_tokens: 20,
    messages: [{ role: "user", content: "Hello" }],
  };
  const message = async (fields: object) =>
    (await house.ask("POST", "/v1/messages", { key, body: { ...params, ...fields } })).status;
  assert.deepEqual([await message({}), await message({ stream: true })], [200, 200]);
  assert.equal(await message({ model: "gone" }), 503);
  house.expectErrors();
  const requests = [{ custom_id: "a", params }];
  const batch = await house.ask("POST", "/v1/messages/batches", { key, body: { requests } });
  assert.equal(batch.status, 200);
  await until(async () => {
    const { body } = await house.ask("GET", `/v1/messages/batches/${batch.body.id}`, { key });
    return body.processing_status === "ended";
  }, "the end of the batch");
  const path = "/console/api/rate_limits";
  const { body: limits } = await house.ask("GET", path, { cookie });
  const [{ group }] = limits.data.filter(({ models }: { models: string[] }) =>
    models.includes("sim-small"),
  );
  const none = [{ type: "requests_per_minute", value: 0 }];
  await house.ask("POST", path, { cookie, body: { workspace_id, group: group.id, limits: none } });
  assert.equal(await message({ model: "sim-small" }), 429);
  await countBacklog(house.world);
  await countKept(house.world);
}

interface Prometheus extends AsyncDisposable {
  /** Below /api/v1/. */
  // What it answers has a shape for each question.
  // oxlint-disable-next-line typescript/no-explicit-any
  ask(path: string): Promise<any>;
}

async function scraped({ ask }: Prometheus, times: number): Promise<void> {
  const query = encodeURIComponent("count_over_time(plinth_build_info[1h])");
  await until(async () => {
    const { data } = await ask(`query?query=${query}`);
    return Number(data.result[0]?.value[1] ?? 0) >= times;
  }, `${times} scrapes`);
}

async function startPrometheus(url: string): Promise<Prometheus> {
  const scratch = mkdtempSync(join(tmpdir(), "plinth-prometheus-"));
  const config = {
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: [join(folder, "plinth-alerts.yml")],
    scrape_configs: [{ job_name: "plinth", static_configs: [{ targets: [new URL(url).host] }] }],
  };
  // JSON is YAML.
  writeFileSync(join(scratch, "prometheus.yml"), JSON.stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const log = openSync(join(scratch, "log"), "a");
  const words = [
    `--config.file=${join(scratch, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(scratch, "data")}`,
    `--web.listen-address=${address}`,
  ];
  const program = spawn("prometheus", words, { stdio: ["ignore", log, log] });
  closeSync(log);
  await until(async () => {
    if (program.exitCode !== null) throw new Error(readFileSync(join(scratch, "log"), "utf8"));
    return fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }, "Prometheus to be ready");
  return {
    ask: async (path) => (await fetch(`http://${address}/api/v1/${path}`)).json(),
    async [Symbol.asyncDispose]() {
      await end(program);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null) return;
  const exited = once(program, "exit");
  program.kill("SIGTERM");
  await exited;
}
