// Rules SES101 to SES105, SES107, SES140: layers of packages among processes, how long they stay, what people see.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { interrupt, ofType, said } from "./sessions-house.ts";
import { openCloudHouse, resultsOf, shell, type CloudHouse } from "./sessions-sandboxes-house.ts";
import { until } from "./support.ts";

let it: CloudHouse;
before(async () => {
  it = await openCloudHouse({ sandbox: { packages: { total_mib: 16, build_seconds: 77 } } });
});
afterEach(() => {
  assert.deepEqual(it.machine.faults, []);
  it.machine.install = undefined;
});
after(() => it[Symbol.asyncDispose]());

interface Row {
  name: string;
  state: string;
  owner: string | null;
}

const rows = () =>
  it.house.world.db.query<Row>(
    sql`select name, state, lease_owner as owner from package_layers order by asked_at`,
  );
const environmentWith = async (...npm: readonly string[]) => {
  const body = { name: "tools", config: { type: "cloud", packages: { npm } } };
  return (await it.askGood<{ id: string }>("POST", "/v1/environments", { body })).id;
};
const sessionIn = async (environment_id: string) => it.cloud({}, { environment_id });
const shownOf = (session: string) => it.machine.layers.get(it.machine.shown.get(session) ?? "");

interface SeenLayer {
  state: string;
  manager: string | null;
  words: string | null;
  bytes: number;
}
const seen = async (environment: string): Promise<SeenLayer[]> => {
  const { cookie } = it.house.organizations.platform;
  const path = `/console/api/environments/${environment}/packages`;
  const { status, body } = await it.house.ask("GET", path, { cookie });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
};

/** Builds wait until they are let go; what each was told to install. */
function holdBuilds() {
  const gate = Promise.withResolvers<number>();
  const builds: string[][] = [];
  it.machine.install = async (_id, packages, write) => {
    if (packages.length === 0) return 0;
    builds.push([...packages]);
    write("fetching");
    write(`fetching ${packages.join(" ")}`);
    return await gate.promise;
  };
  return { builds, end: gate.resolve };
}

test("[SES101] sessions of all processes wait for one build of the same list, in whatever order it is written", async () => {
  const { builds, end } = holdBuilds();
  await using _second = await it.second();
  const environments = [await environmentWith("one", "two"), await environmentWith("two", "one")];
  const ids: string[] = [];
  for (let count = 0; count < 6; count++) ids.push(await sessionIn(environments[count % 2] ?? ""));
  for (const id of ids) await it.send(id, said(shell("say done")));
  await until(async () => builds.length > 0, "a build");
  for (const id of ids) await it.seen(id, "agent.tool_use");
  end(0);
  for (const id of ids) assert.deepEqual(resultsOf(await it.idle(id)), ["done"]);
  assert.deepEqual(builds, [["one", "two"]]);
  for (const id of ids) assert.deepEqual(shownOf(id), ["one", "two"]);
});

test("[SES102] an interrupt ends the waiting, and not the build, which the next one finds", async () => {
  const { builds, end } = holdBuilds();
  const environment = await environmentWith("patient");
  const id = await sessionIn(environment);
  await it.send(id, said(shell("say late")));
  await until(async () => builds.length === 1, "the build");
  await it.send(id, interrupt);
  assert.deepEqual(resultsOf(await it.idle(id)), [
    "error: Interrupted before it began: it was not run.",
  ]);
  end(0);
  assert.deepEqual(resultsOf(await it.turn(id, said(shell("say now")))), ["now"]);
  assert.deepEqual(builds, [["patient"]]);
});

test("[SES102] what is built is seen with its last line, then with its size; another list waits", async () => {
  const { end } = holdBuilds();
  const environment = await environmentWith("seen");
  assert.deepEqual(await seen(environment), []);
  const id = await sessionIn(environment);
  await it.send(id, said(shell("say done")));
  const [layer] = await until(async () => {
    const found = await seen(environment);
    return found[0]?.words != null && found;
  }, "its last line");
  assert.deepEqual(
    [layer?.state, layer?.manager, layer?.words],
    ["building", "npm", "fetching seen"],
  );
  end(0);
  await it.idle(id);
  const [built] = await seen(environment);
  assert.deepEqual([built?.state, built?.bytes, built?.words], ["built", 1024 * 1024, null]);
  const path = `/v1/environments/${environment}`;
  const config = { type: "cloud", packages: { npm: ["changed"] } };
  await it.askGood("POST", path, { body: { config } });
  assert.deepEqual(await seen(environment), []);
});

test("[SES104] a changed list is another layer: for the next sandbox, and not for one that runs", async () => {
  const environment = await environmentWith("before");
  const id = await sessionIn(environment);
  await it.turn(id, said(shell("say one")));
  const config = { type: "cloud", packages: { npm: ["after"] } };
  await it.askGood("POST", `/v1/environments/${environment}`, { body: { config } });
  await it.turn(id, said(shell("say two")));
  assert.deepEqual(shownOf(id), ["before"]);
  const other = await sessionIn(environment);
  await it.turn(other, said(shell("say one")));
  assert.deepEqual(shownOf(other), ["after"]);
});

test("[SES103] a failure is told to all that wait, also in another process, and the next session tries again", async () => {
  const { builds, end } = holdBuilds();
  await using _second = await it.second();
  const environment = await environmentWith("failing");
  const ids = [await sessionIn(environment), await sessionIn(environment)];
  for (const id of ids) await it.send(id, said(shell("say never")));
  for (const id of ids) await it.seen(id, "agent.tool_use");
  await until(async () => builds.length === 1, "the build");
  await until(async () => (await it.placeOf(ids[0] ?? "")) === undefined, "no room to be taken");
  end(9);
  for (const id of ids) {
    const [error] = ofType(await it.idle(id), "session.error");
    assert.match(
      error?.["error"].message,
      /npm could not .*\(exit status 9\)\..*fetching failing/s,
    );
  }
  assert.equal((await seen(environment))[0]?.state, "failed");
  it.machine.install = undefined;
  assert.deepEqual(resultsOf(await it.turn(await sessionIn(environment), said(shell("say yes")))), [
    "yes",
  ]);
  assert.equal((await seen(environment))[0]?.state, "built");
});

test("[SES105] a build whose process died begins anew, and what it left is not used", async () => {
  const { builds, end } = holdBuilds();
  const environment = await environmentWith("orphaned");
  const id = await sessionIn(environment);
  await it.send(id, said(shell("say done")));
  await until(async () => builds.length === 1, "the build");
  // As it is where the process was killed: its lease is over, and nothing of it was kept.
  await it.house.world.db.tx((tx) =>
    tx.query(sql`update package_layers set lease_owner = 'dead', lease_epoch = lease_epoch + 1,
      lease_until = statement_timestamp() - interval '1 second' where state = 'building'`),
  );
  await until(async () => builds.length === 2, "another build");
  end(0);
  assert.deepEqual(resultsOf(await it.idle(id)), ["done"]);
  const layer = (await rows()).find(({ name }) => name === it.machine.shown.get(id));
  assert.deepEqual([layer?.state, layer?.owner], ["built", null]);
});

test("[SES105] a layer that was kept when its process died is there without a build", async () => {
  const environment = await environmentWith("kept");
  const id = await sessionIn(environment);
  await it.turn(id, said(shell("say done")));
  const name = it.machine.shown.get(id) ?? "";
  await it.house.world.db.tx((tx) =>
    tx.query(sql`update package_layers set state = 'building' where name = ${name}`),
  );
  const { builds } = holdBuilds();
  await it.turn(await sessionIn(environment), said(shell("say done")));
  assert.deepEqual(builds, []);
  // One that is gone from the disk is built anew, whatever its row says.
  it.machine.layers.delete(name);
  it.machine.install = undefined;
  await it.turn(await sessionIn(environment), said(shell("say done")));
  assert.ok(it.machine.layers.has(name));
});

/** As if nothing had used any of them for a while. */
const age = () =>
  it.house.world.db.tx((tx) =>
    tx.query(sql`update package_layers set used_at = used_at - interval '1 hour'`),
  );

/** Any build ends with a look for what is to go. */
async function look(): Promise<void> {
  const { world } = it.house;
  await it.turn(await sessionIn(await environmentWith(world.ids.next("p"))), said(shell("say x")));
}

test("[SES107] a layer that no environment names and no sandbox shows goes", async () => {
  const unused = await environmentWith("unused");
  const idle = await sessionIn(unused);
  await it.turn(idle, said(shell("say one")));
  const gone = it.machine.shown.get(idle) ?? "";
  assert.equal((await it.remove(idle)).status, 200);
  assert.equal((await it.ask("DELETE", `/v1/environments/${unused}`)).status, 200);
  await until(async () => {
    await age();
    await look();
    return !it.machine.layers.has(gone);
  }, "the layer to go");
  await until(async () => !(await rows()).some(({ name }) => name === gone), "its row to go");
});

test("[SES107] all together take no more than they may: those that were used least recently go", async () => {
  const environments: string[] = [];
  for (let count = 0; count < 20; count++) environments.push(await environmentWith(`p${count}`));
  const sessions: string[] = [];
  for (const each of environments) {
    const id = await sessionIn(each);
    await it.turn(id, said(shell("say x")));
    sessions.push(id);
  }
  const names = sessions.map((id) => it.machine.shown.get(id) ?? "");
  for (const id of sessions) assert.equal((await it.remove(id)).status, 200);
  // One that is shown still stays, however old it is.
  for (const id of sessions) await until(async () => !it.machine.workspaces.has(id), `${id} to go`);
  // Sandboxes that stood side by side were told as used at one moment: here each was used after the one before.
  for (const [at, name] of names.entries())
    await it.house.world.db.tx((tx) =>
      tx.query(sql`update package_layers set used_at = used_at + ${at} * interval '1 second'
        where name = ${name}`),
    );
  const isGone = (name: string) => !it.machine.layers.has(name);
  await until(async () => {
    await age();
    await look();
    return isGone(names[0] ?? "");
  }, "the first one to go");
  await until(async () => (await rows()).length <= 17, "those behind it to go");
  const kept = names.filter((name) => !isGone(name));
  assert.deepEqual(kept, names.slice(-kept.length), "no other goes before it");
  assert.ok(kept.length > 0, "the last ones stay");
  // It is built again for who wants it.
  const again = await sessionIn(environments[0] ?? "");
  assert.deepEqual(resultsOf(await it.turn(again, said(shell("say back")))), ["back"]);
});

test("[SES140] what installs takes room as any sandbox does, and who waits for it takes none", async () => {
  await using one = await openCloudHouse({ sandbox: { running_max: 1 } });
  const { promise, resolve } = Promise.withResolvers<number>();
  let builds = 0;
  one.machine.install = async (_id, packages) => {
    if (packages.length === 0) return 0;
    builds += 1;
    return await promise;
  };
  const body = { name: "one", config: { type: "cloud", packages: { npm: ["roomy"] } } };
  const { id: environment_id } = await one.askGood<{ id: string }>("POST", "/v1/environments", {
    body,
  });
  const id = await one.cloud({}, { environment_id });
  await one.send(id, said(shell("say packed")));
  await until(async () => builds === 1, "the build");
  const other = await one.cloud();
  await one.send(other, said(shell("say plain")));
  const isOver = async () => resultsOf(await one.events(other)).length > 0;
  await until(async () => one.sandboxes.isWaitedFor || (await isOver()), "the other to wait");
  assert.equal(await isOver(), false, "there is room for one");
  resolve(0);
  assert.deepEqual(resultsOf(await one.idle(other)), ["plain"]);
  assert.deepEqual(resultsOf(await one.idle(id)), ["packed"]);
  assert.deepEqual(one.machine.faults, []);
});

test("[SES108] people of other workspaces do not see it", async () => {
  const environment = await environmentWith("mine");
  const { cookie } = it.house.organizations.other;
  const path = `/console/api/environments/${environment}/packages`;
  assert.equal((await it.house.ask("GET", path, { cookie })).status, 404);
});

test("[SES100] agents without tools of a computer need no packages, and none are installed for them", async () => {
  const { builds } = holdBuilds();
  const id = await it.cloud({ tools: [] }, { environment_id: await environmentWith("idle") });
  await it.turn(id, said("hello"));
  assert.deepEqual(builds, []);
});
