// `plinth audit`: pages with filters, and the log in its own order, followed and taken up again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { audit, type AuditFlags } from "../../cli/audit/show.ts";
import * as auditLog from "../../server/audit/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { runInProcess } from "./in-process.ts";
import { openScreen } from "./screen.ts";

let house: House;
let platform: Tenant;
let env: Record<string, string>;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
  env = { PLINTH_ADMIN_KEY: platform.admin_api_key, PLINTH_BASE_URL: house.url };
  for (const name of ["one", "two", "three"]) await write(name);
});
after(() => house[Symbol.asyncDispose]());

const write = (name: string) =>
  house.world.db.tx((tx) =>
    auditLog.record(
      tx,
      house.world,
      { ...auditLog.operator, name: "Ann\u0007" },
      {
        organizationId: platform.organization_id,
        action: "thing.made",
        target: { type: "thing", id: `thing_${name}` },
        details: { name },
      },
    ),
  );
const run = (...args: string[]) => runInProcess(["audit", ...args], env);
const sequencesOf = (lines: string) =>
  lines
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { sequence: number }).sequence);

test("a page has the newest first, filters, and the command of the next page", async () => {
  const { code, stdout, stderr } = await run("--action", "thing.", "--limit", "2");
  assert.equal(code, 0);
  const [titles, ...lines] = stdout.trim().split("\n");
  assert.match(titles ?? "", /^TIME +ACTION +BY +OF +ADDRESS +SEQUENCE$/);
  assert.equal(lines.length, 2);
  assert.match(
    lines[0] ?? "",
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d  thing\.made  Ann\u2407  thing_three/,
  );
  assert.match(stderr, /There are more: plinth audit --limit 2 --action thing\. --page \S+/);
  const [, page = ""] = /--page (\S+)/.exec(stderr) ?? [];
  assert.match((await run("--action", "thing.", "--page", page)).stdout, /thing_one/);
  const of = await run("--of", "thing_two", "--json");
  assert.equal((JSON.parse(of.stdout) as { data: object[] }).data.length, 1);
  assert.match((await run("--search", "nothing-like-it")).stderr, /^Nothing was found/);
  const later = await run("--from", "2999-01-01");
  assert.deepEqual([later.code, later.stdout], [0, ""]);
});

test("behind a number it is in the log's order, one line each", async () => {
  const { stdout } = await run("--after", "0", "--json");
  const all = sequencesOf(stdout);
  assert.deepEqual(
    all,
    all.map((_, at) => at + 1),
  );
  const last = all.at(-1) ?? 0;
  const rest = await run("--after", String(last - 2));
  assert.deepEqual(
    rest.stdout
      .trim()
      .split("\n")
      .map((line) => line.split("  ")[3]),
    ["thing_two", "thing_three"],
  );
});

test("what follows is printed as it comes, until Ctrl-C", async () => {
  let looks = 0;
  const screen = openScreen(env);
  const clock = {
    ...screen.terminal.clock,
    sleep: async () => {
      looks += 1;
      if (looks === 3) return false;
      await write(`followed_${looks}`);
      return true;
    },
  };
  const flags: AuditFlags = { limit: 20, call: [], follow: true, json: true };
  await assert.rejects(audit({ ...screen.terminal, clock }, flags), { exitCode: 130 });
  const [first = 0, second = 0, ...others] = sequencesOf(screen.text());
  assert.deepEqual([second, others], [first + 1, []]);
});

test("what does not go together, and what is no time, is said", async () => {
  const beside = await run("--follow", "--action", "key.");
  assert.equal(beside.code, 2);
  assert.match(beside.stderr, /--follow gives all of the log, in its order: leave out --action\./);
  assert.equal((await run("--after", "x")).code, 2);
  assert.equal((await run("--from", "yesterday")).code, 2);
  const refused = await runInProcess(["audit"], { ...env, PLINTH_ADMIN_KEY: "sk-ant-admin01-x" });
  assert.equal(refused.code, 3);
});
