// Rules DRN5 to DRN7 and DRN9, over HTTP: how schedules fire.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { daily, minutely, openDeploymentHouse, type DeploymentHouse } from "./deployments-house.ts";
import { addWorkspace } from "./memory-house.ts";
import { eventsOf, hours, minutes, seconds, until } from "./support.ts";

let d: DeploymentHouse;
before(async () => {
  d = await openDeploymentHouse();
});
after(() => d[Symbol.asyncDispose]());
beforeEach(() => d.nextMorning());

const older = { "vendor-version": "2023-06-01" };

test("[DRN5] a scheduled run that cannot succeed pauses its deployment and says why", async () => {
  const { id: closed } = await d.makeEnvironment();
  const { id } = await d.make({ environment_id: closed, schedule: daily });
  const refused = await d.makeRefused({ schedule: daily });
  await d.archive(`/v1/environments/${closed}`);
  d.wall.advance(hours(24) - seconds(30));
  await d.fire();
  const [run] = await d.seenRuns(id, 1);
  assert.equal(run?.error?.type, "environment_archived_error");
  assert.equal(run?.trigger_context.scheduled_at, d.at(0));
  const paused = await d.read(id);
  assert.deepEqual(
    [paused.status, paused.paused_reason, paused.schedule?.last_run_at],
    ["paused", { type: "error", error: { type: "environment_archived_error" } }, d.at(0)],
  );
  const named = (await d.read(id, { headers: older })).paused_reason;
  assert.deepEqual(named, { type: "error", error: { type: "environment_archived" } });
  const [rejected] = await d.seenRuns(refused.id, 1);
  assert.equal(rejected?.error?.type, "session_creation_rejected_error");
  assert.equal((await d.read(refused.id)).status, "active");
  d.wall.advance(hours(24));
  await d.fire();
  await d.seenRuns(refused.id, 2);
  assert.equal((await d.runsOf(id)).length, 1);
  // With its cause mended it goes on.
  await d.update(id, { environment_id: d.environment.id });
  assert.equal((await d.act(id, "unpause")).body.status, "active");
  d.wall.advance(hours(24));
  await d.fire();
  const [mended] = await d.seenRuns(id, 2);
  assert.equal(mended?.error, null);
  await d.act(refused.id, "archive");
  const events = await eventsOf(d.house, await d.signedIn());
  const ofIt = events.filter(({ target }) => target?.id === id).map(({ action }) => action);
  assert.deepEqual(ofIt, [
    "deployment.unpaused",
    "deployment.updated",
    "deployment.paused",
    "deployment.created",
  ]);
});

test("[DRN5] an error of the server is tried again for a while, and then pauses", async () => {
  const { id } = await d.make({ schedule: daily });
  const { db } = d.house.world;
  // What no key opens.
  await db.tx((tx) => tx.query(sql`update deployments set tokens = 'nothing' where id = ${id}`));
  d.wall.advance(hours(24) - seconds(30));
  await d.fire();
  assert.deepEqual(await d.runsOf(id), []);
  d.wall.advance(seconds(31));
  await d.fire();
  const [run] = await d.seenRuns(id, 1);
  assert.equal(run?.error?.type, "unknown_error");
  assert.doesNotMatch(run?.error?.message ?? "", /encrypted/);
  assert.equal((await d.read(id)).paused_reason?.error?.type, "unknown_error");
});

test("[DRN5] in a workspace that is archived nothing runs", async () => {
  const { id } = await d.make({ schedule: daily });
  const { db } = d.house.world;
  const { organization_id: organization } = d.house.organizations.platform;
  await addWorkspace(d.house, organization, "wrkspc_closed");
  await db.tx((tx) =>
    tx.query(sql`update deployments set workspace_id = 'wrkspc_closed' where id = ${id}`),
  );
  await db.tx((tx) =>
    tx.query(sql`update workspaces set archived_at = now() where id = 'wrkspc_closed'`),
  );
  d.wall.advance(hours(24) - seconds(30));
  await d.fire();
  const [run] = await until(async () => {
    const runs = await db.query<{ error: string; paused: string }>(sql`
      select run.error_type as error, row.paused_by as paused
      from deployment_runs as run join deployments as row on row.id = run.deployment_id
      where row.id = ${id}`);
    return runs.length > 0 && runs;
  }, "the run");
  assert.deepEqual(run, { error: "workspace_archived_error", paused: "workspace_archived_error" });
});

test("[DRN6] an occurrence fires within its first seconds, once, and names its moment", async () => {
  const { id } = await d.make({ schedule: daily });
  d.wall.advance(hours(24) - seconds(31));
  await d.fire();
  assert.deepEqual(await d.runsOf(id), []);
  d.wall.advance(seconds(1) + 400);
  // Nothing is asked: the server looks by itself.
  const [run] = await d.seenRuns(id, 1);
  const nominal = d.at(-400);
  assert.deepEqual(run?.trigger_context, { type: "schedule", scheduled_at: nominal });
  assert.deepEqual(run?.created_at, d.at(0));
  const { schedule } = await d.read(id);
  assert.equal(schedule?.last_run_at, d.at(0));
  assert.equal(schedule?.upcoming_runs_at[0], d.at(hours(24) - 400));
  await Promise.all([d.fire(), d.fire(), d.fire()]);
  assert.equal((await d.runsOf(id)).length, 1);
  await d.act(id, "archive");
});

test("[DRN7] after downtime the latest missed occurrence runs, older ones are told of", async () => {
  const hourly = { ...minutely, expression: "0 * * * *" };
  const [often, seldom] = [
    await d.make({ schedule: minutely }),
    await d.make({ schedule: hourly }),
  ];
  const late = await d.make({ schedule: { ...daily, expression: "1 9 * * *" } });
  d.wall.advance(hours(2) + seconds(30));
  await d.fire();
  // From 09:01 to 11:01 there are 121, of which the last one runs.
  const [run, ...others] = await d.seenRuns(often.id, 1);
  assert.deepEqual([run?.trigger_context.scheduled_at, others], [d.at(0), []]);
  const [hour] = await d.seenRuns(seldom.id, 1);
  assert.equal(hour?.trigger_context.scheduled_at, d.at(-minutes(1)));
  const { cookie } = await d.signedIn();
  const missedOf = async (id: string) =>
    (await d.call("GET", `/console/api/deployments/${id}/missed`, { cookie })).body.data;
  assert.deepEqual(await missedOf(often.id), [
    { first_at: d.at(-hours(2)), until: d.at(0), count: 120, is_more: false },
  ]);
  assert.deepEqual(await missedOf(seldom.id), [
    { first_at: d.at(-minutes(61)), until: d.at(-minutes(1)), count: 1, is_more: false },
  ]);
  // It is older than an hour: no run, and the next one is tomorrow's.
  await until(async () => (await missedOf(late.id)).length === 1, "what was missed too long ago");
  assert.deepEqual(await d.runsOf(late.id), []);
  assert.equal((await d.read(late.id)).schedule?.upcoming_runs_at[0], d.at(hours(22)));
  const events = await eventsOf(d.house, await d.signedIn());
  const told = events.filter(({ action }) => action === "deployment.missed");
  for (const { id } of [often, seldom, late])
    assert.equal(told.filter(({ target }) => target?.id === id).length, 1);
  d.wall.advance(minutes(1));
  await d.fire();
  await d.seenRuns(often.id, 2);
  for (const { id } of [often, seldom, late]) await d.act(id, "archive");
});

test("[DEP6] what passed while it was paused does not run when it is unpaused", async () => {
  const { id } = await d.make({ schedule: minutely });
  await d.act(id, "pause");
  d.wall.advance(minutes(10));
  await d.fire();
  await d.act(id, "unpause");
  await d.fire();
  assert.deepEqual(await d.runsOf(id), []);
  d.wall.advance(minutes(1));
  await d.fire();
  assert.equal((await d.seenRuns(id, 1)).length, 1);
  await d.act(id, "archive");
  d.wall.advance(minutes(5));
  await d.fire();
  assert.equal((await d.runsOf(id)).length, 1);
});

test("[DRN9] what is due when the schedule is changed still fires, and by its new one from then on", async () => {
  const { id } = await d.make({ schedule: daily });
  d.wall.advance(hours(24) - seconds(30));
  const changed = await d.update(id, { schedule: { ...daily, expression: "30 9 * * *" } });
  assert.equal(changed.schedule?.upcoming_runs_at[0], d.at(minutes(30)));
  await d.fire();
  const [run] = await d.seenRuns(id, 1);
  assert.equal(run?.trigger_context.scheduled_at, d.at(0));
  d.wall.advance(minutes(30));
  await d.fire();
  const [next] = await d.seenRuns(id, 2);
  assert.equal(next?.trigger_context.scheduled_at, d.at(0));
  await d.update(id, { schedule: null });
  d.wall.advance(hours(24));
  await d.fire();
  assert.equal((await d.runsOf(id)).length, 2);
});
