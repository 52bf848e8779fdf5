// `plinth deployments` and `plinth runs`: for people, for pipes and for programs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { next } from "../../cli/deployments/read.ts";
import { CliError, type Terminal } from "../../cli/terminal.ts";
import { expectSentence } from "./memory.ts";
import { openWorkspaceCommands, type WorkspaceCommands } from "./workspace-commands.ts";

let deployments: WorkspaceCommands;
before(async () => {
  deployments = await openWorkspaceCommands("deployments");
  await deployments.ask("POST", "/v1/agents", { name: "Helper", model: "sim-large" });
  await deployments.ask("POST", "/v1/environments", { name: "python" });
});
after(async () => {
  await deployments?.[Symbol.asyncDispose]();
});

const make = async (name: string, ...more: string[]) => {
  const fields = ["--agent", "Helper", "--environment", "python", "--message", "Report."];
  return (await deployments.said("create", "--name", name, ...fields, ...more)).trim();
};
const read = (id: string) => deployments.api("GET", `/${id}`);

test("create, show, update, pause, unpause, run and archive, by name or id", async () => {
  const zone = ["--cron", "0 9 * * 1-5", "--timezone", "Europe/Berlin"];
  const id = await make("Nightly", ...zone, "--budget", "2.50");
  const made = await read(id);
  assert.deepEqual(
    [made.schedule.expression, made.schedule.timezone, made.budget.max_list_cost.amount],
    ["0 9 * * 1-5", "Europe/Berlin", "250"],
  );
  assert.deepEqual(made.initial_events[0].content, [{ type: "text", text: "Report." }]);
  const shown = await deployments.said("show", "Nightly");
  assert.match(shown, /At 09:00, Monday to Friday/);
  assert.deepEqual(await deployments.parsed("show", id), await read(id));
  assert.match(await deployments.said("update", "Nightly", "--cron", "0 8 * * *"), /^updated/);
  const { schedule } = await read(id);
  assert.deepEqual([schedule.expression, schedule.timezone], ["0 8 * * *", "Europe/Berlin"]);
  assert.match(await deployments.said("update", id, "--cron", "0 8 * * *"), /^nothing changed/);
  assert.equal(await deployments.said("pause", "Nightly"), `paused ${id}\n`);
  assert.match(await deployments.said("list", "--status", "paused"), /Nightly.*paused \(manual\)/);
  assert.equal(await deployments.said("unpause", id), `unpaused ${id}\n`);
  assert.match(await deployments.said("run", "Nightly"), /^sesn_\w+\n$/);
  await deployments.said("update", id, "--no-schedule");
  assert.equal((await read(id)).schedule, null);
  assert.equal(await deployments.said("archive", id, "--yes"), `archived ${id}\n`);
  expectSentence(await deployments.run("run", id), 1, /archived/);
  expectSentence(await deployments.run("run", "Nothing"), 2, /No deployment is called "Nothing"/);
});

test("vaults are named by name or id, replaced and taken away; a list goes on as it was asked for", async () => {
  const vault = async (display_name: string): Promise<string> =>
    (await deployments.ask("POST", "/v1/vaults", { display_name })).id;
  const [wiki, mail] = [await vault("Wiki"), await vault("Mail")];
  const id = await make("With vaults", "--vault", "Wiki", "--vault", mail);
  assert.deepEqual((await read(id)).vault_ids, [wiki, mail]);
  assert.match(
    await deployments.said("show", id),
    new RegExp(`\nvault +Wiki \\(${wiki}\\)\nvault +Mail \\(${mail}\\)\n`),
  );
  await deployments.said("update", id, "--name", "Renamed");
  assert.deepEqual((await read(id)).vault_ids, [wiki, mail]);
  await deployments.said("update", "--vault", "Mail", id);
  assert.deepEqual((await read(id)).vault_ids, [mail]);
  await deployments.said("update", id, "--no-vaults");
  assert.deepEqual((await read(id)).vault_ids, []);
  const unknown = await deployments.run("update", id, "--vault", "Nothing");
  expectSentence(unknown, 2, /No vault is called "Nothing".*plinth vaults list/);
  await vault("Mail");
  const double = await deployments.run("update", id, "--vault", "Mail");
  expectSentence(double, 2, /2 vaults are called "Mail"/);

  const other = await make("Another");
  await deployments.said("pause", other);
  await deployments.said("pause", id);
  const filters = ["--agent", "Helper", "--status", "paused", "--limit", "1"];
  const first = await deployments.run("list", ...filters, "--url", deployments.house.url);
  const [, more = ""] = /^There are more: plinth (.+)\n$/.exec(first.stderr) ?? [];
  const expected = `deployments list ${filters.join(" ")} --url ${deployments.house.url} --page `;
  assert.ok(more.startsWith(expected), more);
  const rest = await deployments.run(...more.split(" ").slice(1));
  assert.match(rest.stdout, new RegExp(`^ID .*\n${id} .*\n$`));
  assert.match(first.stdout, new RegExp(`\n${other} `));
});

test("create says what is missing", async () => {
  expectSentence(await deployments.run("create", "--name", "x"), 2, /needs agent: --agent/);
});

test("next says an expression in words and when it fires, without a server", () => {
  const said = (expression: string, timezone: string, json = false) => {
    let text = "";
    const terminal = {
      write: (part: string) => (text += part),
      clock: { now: () => new Date("2026-03-27T12:00:00Z") },
    } as unknown as Terminal;
    next(terminal, expression, { timezone, count: 3, json });
    return text;
  };
  assert.deepEqual(JSON.parse(said("30 2 * * *", "Europe/Berlin", true)), {
    expression: "30 2 * * *",
    timezone: "Europe/Berlin",
    words: "At 02:30, every day",
    next: ["2026-03-28T01:30:00.000Z", "2026-03-30T00:30:00.000Z", "2026-03-31T00:30:00.000Z"],
  });
  assert.match(said("0 9 * * 1-5", "UTC"), /^At 09:00, Monday to Friday, UTC\n/);
  for (const [text, zone, sentence] of [
    ["0 9 * * mon", "UTC", /"mon" is not a day of week/],
    ["0 9 * * 1", "Mars/Olympus", /IANA/],
    ["0 0 30 2 *", "UTC", /never fires/],
  ] as const)
    assert.throws(
      () => said(text, zone),
      (error: Error) => error instanceof CliError && sentence.test(error.message),
    );
});
