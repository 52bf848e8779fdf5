// Deployments and their runs as the unchanged client calls them: every method, pages, and error classes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openHouse, type House } from "../house.ts";
import { failing, listeningClient } from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const connect = () => listeningClient(house, { maxRetries: 2 });

async function begin() {
  const { client, seen } = connect();
  const { agents, environments, deployments, deploymentRuns } = client.beta;
  const agent = await agents.create({ name: "reporter", model: "sim-large" });
  const environment = await environments.create({ name: "cloud" });
  const make = (name: string) =>
    deployments.create({
      name,
      agent: agent.id,
      environment_id: environment.id,
      initial_events: [
        { type: "user.message", content: [{ type: "text", text: "Write the report." }] },
      ],
      schedule: { type: "cron", expression: "0 9 * * 1-5", timezone: "Europe/Berlin" },
    });
  return { client, seen, agent, environment, deployments, deploymentRuns, make };
}

test("deployments: create, retrieve, update, list, pause, unpause, archive", async () => {
  const { seen, agent, deployments, make } = await begin();
  const made = await make("Daily");
  assert.match(made.id, /^depl_/);
  assert.deepEqual(made.agent, { id: agent.id, type: "agent", version: 1 });
  assert.equal(made.schedule?.upcoming_runs_at?.length, 5);
  assert.equal(made.schedule?.last_run_at, null);
  assert.equal(seen.at(-1)?.headers.get("anthropic-beta"), "managed-agents-2026-04-01");
  const { updated_at: _time, ...rest } = await deployments.retrieve(made.id);
  assert.deepEqual({ ...rest, updated_at: made.updated_at }, made);
  const changed = await deployments.update(made.id, { description: "For the board" });
  assert.equal(changed.description, "For the board");
  assert.equal((await deployments.update(made.id, {})).updated_at, changed.updated_at);
  assert.deepEqual((await deployments.pause(made.id)).paused_reason, { type: "manual" });
  assert.equal((await deployments.unpause(made.id)).status, "active");
  for (const name of ["a", "b", "c"]) await make(name);
  await deployments.archive(made.id);
  const names = async (include_archived: boolean) => {
    const all: string[] = [];
    for await (const { name } of deployments.list({ limit: 2, include_archived })) all.push(name);
    return all;
  };
  assert.deepEqual(await names(false), ["c", "b", "a"]);
  assert.deepEqual(await names(true), ["c", "b", "a", "Daily"]);
  const archived = await deployments.retrieve(made.id);
  assert.deepEqual([archived.status, archived.schedule?.upcoming_runs_at], ["active", []]);
});

test("deployment runs: by hand, read and listed, with the session that began", async () => {
  const { client, environment, deployments, deploymentRuns, make } = await begin();
  const { id } = await make("By hand");
  const run = await deployments.run(id);
  assert.match(run.id, /^drun_/);
  assert.deepEqual([run.deployment_id, run.error, run.trigger_context.type], [id, null, "manual"]);
  assert.deepEqual(await deploymentRuns.retrieve(run.id), run);
  const session = await client.beta.sessions.retrieve(run.session_id ?? "");
  assert.equal(session.deployment_id, id);
  await client.beta.environments.archive(environment.id);
  const failed = await deployments.run(id);
  assert.equal(failed.error?.type, "environment_archived_error");
  const ids: string[] = [];
  for await (const each of deploymentRuns.list({ deployment_id: id, limit: 1 })) ids.push(each.id);
  assert.deepEqual(ids, [failed.id, run.id]);
  const { data } = await deploymentRuns.list({ deployment_id: id, has_error: true });
  assert.deepEqual(
    data.map((each) => each.id),
    [failed.id],
  );
});

test("deployments: what is refused is refused in the client's classes", async () => {
  const { deployments, deploymentRuns, make } = await begin();
  const { id } = await make("Refused");
  await deployments.archive(id);
  const archived = await failing(Anthropic.BadRequestError, deployments.run(id));
  assert.match(archived.message, /is archived/);
  await failing(Anthropic.NotFoundError, deployments.retrieve("depl_none"));
  await failing(Anthropic.NotFoundError, deploymentRuns.retrieve("drun_none"));
  const schedule = { type: "cron", expression: "0 9 * * mon-fri", timezone: "UTC" } as const;
  const wrong = await failing(Anthropic.BadRequestError, deployments.update(id, { schedule }));
  assert.match(wrong.message, /archived/);
});
