// Rules DEP1 to DEP11, over HTTP: deployments themselves.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/deployments/limits.ts";
import { daily, hello, openDeploymentHouse, type DeploymentHouse } from "./deployments-house.ts";
import { addWorkspace } from "./memory-house.ts";
import { eventsOf, minutes, sentenceOf } from "./support.ts";

let d: DeploymentHouse;
before(async () => {
  d = await openDeploymentHouse();
});
after(() => d[Symbol.asyncDispose]());

const now = () => d.wall.now().toISOString();
const scheduled = (expression: string, timezone = "UTC") => ({
  schedule: { type: "cron", expression, timezone },
});
const older = { "vendor-version": "2023-06-01" };

test("[DEP1] a new deployment is as it was asked for, and read so again", async () => {
  const made = await d.make();
  assert.match(made.id, /^depl_\w+$/);
  assert.deepEqual(made, {
    id: made.id,
    type: "deployment",
    name: "Daily report",
    description: null,
    agent: { id: d.agent.id, type: "agent", version: 1 },
    environment_id: d.environment.id,
    initial_events: hello,
    resources: [],
    vault_ids: [],
    schedule: null,
    status: "active",
    paused_reason: null,
    budget: null,
    metadata: {},
    created_at: now(),
    updated_at: now(),
    archived_at: null,
  });
  assert.deepEqual(await d.read(made.id), made);
  const budget = { type: "limit", max_list_cost: { amount: "250", currency: "USD" } };
  const headers = { "vendor-beta": "managed-agents-2026-04-01" };
  const vault: { id: string } = await d.good("POST", "/v1/vaults", {
    headers,
    body: { display_name: "Keys" },
  });
  const full = {
    description: "For the board",
    schedule: daily,
    vault_ids: [vault.id],
    budget,
    metadata: { team: "red" },
  };
  const { schedule, ...rest } = await d.make(full);
  assert.deepEqual({ ...rest, schedule: daily }, { ...rest, ...full });
  assert.deepEqual([schedule?.expression, schedule?.timezone], ["0 9 * * *", "UTC"]);
});

test("[DEP1] what does not fit a deployment is named", async () => {
  const many = (count: number) => Array.from({ length: count }, () => hello[0]);
  const pairs = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, "v"]));
  const wrong: [more: object, sentence: RegExp][] = [
    [{ name: "" }, /^name: /],
    [{ name: "a".repeat(257) }, /^name: must have at most 256/],
    [{ name: "a\nb" }, /^name: /],
    [{ description: "d".repeat(2_049) }, /^description: .*2048/],
    [{ initial_events: [] }, /^initial_events: /],
    [{ initial_events: many(51) }, /^initial_events: .*50/],
    [{ initial_events: [{ type: "user.interrupt" }] }, /^initial_events\.0/],
    [{ vault_ids: Array.from({ length: 51 }, (_, at) => `vlt_${at}`) }, /^vault_ids: .*50/],
    [{ metadata: pairs }, /^metadata: .*16/],
    [{ budget: { type: "limit", max_list_cost: { amount: "0", currency: "USD" } } }, /^budget/],
    [{ agent: undefined }, /^agent: /],
    [{ environment_id: undefined }, /^environment_id: /],
    [{ cron: "* * * * *" }, /^cron: /],
  ];
  for (const [more, sentence] of wrong)
    assert.match(sentenceOf(await d.create(more), 400), sentence);
});

test("[DEP2] the version of the agent is the one that was the newest when it was named", async () => {
  const agent: { id: string } = await d.good("POST", "/v1/agents", {
    body: { name: "a", model: "sim-large" },
  });
  const made = await d.make({ agent: agent.id });
  await d.good("POST", `/v1/agents/${agent.id}`, { body: { name: "b" } });
  assert.equal((await d.read(made.id)).agent.version, 1);
  assert.equal((await d.update(made.id, { name: "other" })).agent.version, 1);
  const fixed = { type: "agent", id: agent.id, version: 1 };
  assert.equal((await d.update(made.id, { agent: fixed })).agent.version, 1);
  assert.equal((await d.update(made.id, { agent: agent.id })).agent.version, 2);
  assert.equal((await d.update(made.id, { agent: fixed })).agent.version, 1);
  assert.match(sentenceOf(await d.create({ agent: { ...fixed, version: 9 } }), 404), /newest is 2/);
  assert.match(sentenceOf(await d.create({ agent: "agent_none" }), 404), /agent_none/);
  await d.good("POST", `/v1/agents/${agent.id}/archive`);
  assert.match(sentenceOf(await d.create({ agent: agent.id }), 400), /^agent: .*archived/);
  // What is as it was is not judged again.
  assert.equal((await d.update(made.id, { agent: fixed, name: "third" })).name, "third");
  const closed: { id: string } = await d.good("POST", "/v1/environments", { body: { name: "e" } });
  await d.good("POST", `/v1/environments/${closed.id}/archive`);
  const answer = await d.create({ environment_id: closed.id });
  assert.match(sentenceOf(answer, 400), /^environment_id: .*archived/);
  sentenceOf(await d.create({ environment_id: "env_none" }), 404);
});

test("[DEP3] first events begin the work, and are judged as a session's are", async () => {
  const system = { type: "system.message", content: [{ type: "text", text: "Be brief." }] };
  const outcome = {
    type: "user.define_outcome",
    description: "A report",
    rubric: { type: "text", content: "It is short." },
  };
  const both = [hello[0], system];
  assert.deepEqual((await d.make({ initial_events: both })).initial_events, both);
  assert.deepEqual((await d.make({ initial_events: [outcome] })).initial_events, [outcome]);
  const refused = async (initial_events: unknown[], status = 400) =>
    sentenceOf(await d.create({ initial_events }), status);
  assert.match(
    await refused([system]),
    /^initial_events\.0: a system\.message stands right behind/,
  );
  assert.match(await refused([system, hello[0]]), /^initial_events\.0: /);
  const file = { type: "image", source: { type: "file", file_id: "file_none" } };
  await refused([{ type: "user.message", content: [file] }], 404);
});

test("[DEP3] tokens of repositories are not shown, and stay where they are not sent again", async () => {
  const url = "https://github.com/owner/name";
  const repository = { type: "github_repository", url };
  const token = "ghp_a-secret-token";
  const { id, resources } = await d.make({
    resources: [{ ...repository, authorization_token: token }],
  });
  assert.deepEqual(resources, [repository]);
  const tokens = async (): Promise<string | null> => {
    const [row] = await d.house.world.db.query<{ tokens: string | null }>(
      sql`select tokens from deployments where id = ${id}`,
    );
    return row?.tokens ?? null;
  };
  const stored = await tokens();
  assert.ok(stored !== null && !stored.includes("ghp_"), "encrypted");
  const opened = () =>
    d.house.world.secrets.decrypt(stored, `tokens of a deployment ${id}`).toString();
  assert.equal(opened(), `{"0":"${token}"}`);
  const mounted = { ...repository, mount_path: "/workspace/code" };
  assert.deepEqual((await d.update(id, { resources: [mounted] })).resources, [mounted]);
  assert.notEqual(await tokens(), null);
  await d.update(id, { resources: [{ ...mounted, authorization_token: null }] });
  assert.equal(await tokens(), null);
  sentenceOf(await d.create({ resources: [{ type: "file", file_id: "file_none" }] }), 404);
});

test("[DEP3] of two repositories of one address each keeps its own token, and a third one gets none", async () => {
  const at = (mount_path: string) => ({
    type: "github_repository",
    url: "https://github.com/owner/name",
    mount_path,
  });
  const [one, two, three] = [at("/workspace/a"), at("/workspace/b"), at("/workspace/c")];
  const { id } = await d.make({
    resources: [
      { ...one, authorization_token: "ghp_one" },
      { ...two, authorization_token: "ghp_two" },
    ],
  });
  await d.update(id, { resources: [three, two, one] });
  const [row] = await d.house.world.db.query<{ tokens: string }>(
    sql`select tokens from deployments where id = ${id}`,
  );
  const opened = d.house.world.secrets.decrypt(row?.tokens ?? "", `tokens of a deployment ${id}`);
  assert.deepEqual(JSON.parse(opened.toString()), { 1: "ghp_two", 2: "ghp_one" });
});

test("[DEP4] an update changes what it names, and one that changes nothing leaves updated_at", async () => {
  const made = await d.make({
    description: "one",
    ...scheduled("0 9 * * *"),
    metadata: { a: "1" },
  });
  const { id } = made;
  d.wall.advance(minutes(1));
  const { schedule, ...rest } = await d.update(id, {});
  const told = await d.update(id, { ...made, agent: made.agent });
  assert.deepEqual({ ...rest, schedule: made.schedule }, made);
  assert.equal(told.updated_at, made.updated_at);
  assert.equal(schedule?.expression, "0 9 * * *");
  const same = { name: made.name, metadata: { none: null }, initial_events: hello, resources: [] };
  assert.equal((await d.update(id, same)).updated_at, made.updated_at);
  const changed = await d.update(id, { name: "Weekly", metadata: { b: "2" } });
  assert.deepEqual(
    [changed.name, changed.description, changed.metadata, changed.updated_at],
    ["Weekly", "one", { a: "1", b: "2" }, now()],
  );
  const cleared = await d.update(id, { description: "", schedule: null, resources: null });
  assert.deepEqual([cleared.description, cleared.schedule, cleared.resources], [null, null, []]);
  const update = (body: object) => d.call("POST", `/v1/deployments/${id}`, { body });
  assert.match(sentenceOf(await update({ status: "paused" }), 400), /^status: .*pause/);
  assert.match(sentenceOf(await update({ name: null }), 400), /^name: /);
  assert.match(sentenceOf(await update({ initial_events: [] }), 400), /^initial_events: /);
});

test("[DEP5] a schedule names its next five occurrences by its zone's wall clock", async () => {
  const { schedule } = await d.make(scheduled("30 2 * * 0", "Europe/Berlin"));
  assert.deepEqual(schedule, {
    type: "cron",
    expression: "30 2 * * 0",
    timezone: "Europe/Berlin",
    last_run_at: null,
    upcoming_runs_at: [
      "2026-11-22T01:30:00.000Z",
      "2026-11-29T01:30:00.000Z",
      "2026-12-06T01:30:00.000Z",
      "2026-12-13T01:30:00.000Z",
      "2026-12-20T01:30:00.000Z",
    ],
  });
  const wrong: [expression: string, timezone: string, sentence: RegExp][] = [
    ["* * * *", "UTC", /^schedule\.expression: .*five fields/],
    ["0 0 9 * * *", "UTC", /^schedule\.expression: .*five fields/],
    ["@daily", "UTC", /^schedule\.expression: /],
    ["0 9 * * mon-fri", "UTC", /^schedule\.expression: "mon-fri" is not a day of week/],
    ["0 9 L * *", "UTC", /^schedule\.expression: "L" is not a day of month/],
    ["0 9 ? * 1#2", "UTC", /^schedule\.expression: /],
    ["0 0 30 2 *", "UTC", /^schedule\.expression: "0 0 30 2 \*" never fires/],
    ["0 9 * * *", "Mars/Olympus", /^schedule\.timezone: .*IANA/],
    ["0 9 * * *", "+02:00", /^schedule\.timezone: .*IANA/],
  ];
  for (const [expression, timezone, sentence] of wrong)
    assert.match(sentenceOf(await d.create(scheduled(expression, timezone)), 400), sentence);
  assert.match(sentenceOf(await d.create({ schedule: { type: "cron" } }), 400), /^schedule\.expr/);
});

test("[DEP6] pausing and unpausing, each a second time of no effect", async () => {
  const { id } = await d.make({ schedule: daily });
  d.wall.advance(minutes(1));
  const paused = (await d.act(id, "pause")).body;
  assert.deepEqual(
    [paused.status, paused.paused_reason, paused.updated_at],
    ["paused", { type: "manual" }, now()],
  );
  assert.equal(paused.schedule.upcoming_runs_at.length, 5);
  d.wall.advance(minutes(1));
  assert.equal((await d.act(id, "pause")).body.updated_at, paused.updated_at);
  const open = (await d.act(id, "unpause")).body;
  assert.deepEqual([open.status, open.paused_reason, open.updated_at], ["active", null, now()]);
  d.wall.advance(minutes(1));
  assert.equal((await d.act(id, "unpause")).body.updated_at, open.updated_at);
});

test("[DEP7] an archived deployment is read, and takes nothing more", async () => {
  const { id } = await d.make({ schedule: daily });
  await d.act(id, "pause");
  const archived = (await d.act(id, "archive")).body;
  assert.deepEqual(
    [archived.status, archived.paused_reason, archived.archived_at],
    ["active", null, now()],
  );
  assert.deepEqual(archived.schedule.upcoming_runs_at, []);
  d.wall.advance(minutes(1));
  assert.deepEqual((await d.act(id, "archive")).body, archived);
  assert.equal((await d.read(id, { headers: older })).status, "archived");
  for (const path of ["/run", "/pause", "/unpause", ""]) {
    const answer = await d.call("POST", `/v1/deployments/${id}${path}`, {
      ...(path === "" && { body: { name: "x" } }),
    });
    assert.match(sentenceOf(answer, 400), /is archived/, path);
    assert.equal(answer.body.error.details.error_code, "deployment_archived");
  }
});

test("[DEP8] lists by agent, status, and time, newest first", async () => {
  const agent: { id: string } = await d.good("POST", "/v1/agents", {
    body: { name: "listed", model: "sim-large" },
  });
  const ids: string[] = [];
  for (const name of ["a", "b", "c", "d"]) {
    ids.unshift((await d.make({ name, agent: agent.id })).id);
    d.wall.advance(minutes(1));
  }
  const [newest = "", third = "", second = "", first = ""] = ids;
  await d.act(third, "pause");
  await d.act(second, "archive");
  const list = async (query: string) => {
    const path = `/v1/deployments?agent_id=${agent.id}&${query}`;
    const { data } = await d.good<{ data: { id: string }[] }>("GET", path);
    return data.map(({ id }) => id);
  };
  assert.deepEqual(await list(""), [newest, third, first]);
  assert.deepEqual(await list("include_archived=true"), ids);
  assert.deepEqual(await list("status=paused"), [third]);
  assert.deepEqual(await list("status=active"), [newest, first]);
  const at = (await d.read(third)).created_at;
  assert.deepEqual(await list(`created_at[gte]=${at}`), [newest, third]);
  assert.deepEqual(await list(`created_at[lte]=${at}`), [third, first]);
  const page: { data: unknown[]; next_page: string } = await d.good(
    "GET",
    `/v1/deployments?agent_id=${agent.id}&limit=2`,
  );
  assert.deepEqual([page.data.length, await list(`page=${page.next_page}`)], [2, [first]]);
  const both = await d.call("GET", "/v1/deployments?status=active&include_archived=true");
  assert.match(sentenceOf(both, 400), /^status, include_archived: /);
});

test("[DEP9] without the beta 400, and absence to another workspace", async () => {
  const { id } = await d.make();
  const run = await d.run(id);
  const key = d.house.organizations.platform.api_key;
  for (const path of ["/v1/deployments", `/v1/deployments/${id}`, "/v1/deployment_runs"])
    assert.match(
      sentenceOf(await d.house.ask("GET", path, { key }), 400),
      /managed-agents-2026-04-01/,
    );
  const { platform, other } = d.house.organizations;
  const elsewhere = await addWorkspace(d.house, platform.organization_id, "wrkspc_elsewhere");
  for (const stranger of [{ key: other.api_key }, { cookie: platform.cookie, ...elsewhere }]) {
    for (const [method, path] of [
      ["GET", `/v1/deployments/${id}`],
      ["POST", `/v1/deployments/${id}/run`],
      ["POST", `/v1/deployments/${id}/pause`],
      ["POST", `/v1/deployments/${id}/unpause`],
      ["POST", `/v1/deployments/${id}/archive`],
      ["GET", `/v1/deployment_runs/${run.id}`],
    ] as const)
      sentenceOf(await d.call(method, path, stranger), 404);
    const named = { ...stranger, body: { name: "x" } };
    sentenceOf(await d.call("POST", `/v1/deployments/${id}`, named), 404);
    for (const path of ["/v1/deployments", `/v1/deployment_runs?deployment_id=${id}`])
      assert.deepEqual((await d.call("GET", path, stranger)).body.data, []);
    const made = await d.call("POST", "/v1/deployments", { ...stranger, body: d.bodyOf() });
    assert.match(sentenceOf(made, 404), /no agent/);
  }
});

test("[DEP10] each change leaves an event", async () => {
  const { id } = await d.make();
  await d.update(id, { name: "Other" });
  await d.update(id, {});
  await d.act(id, "pause");
  await d.act(id, "unpause");
  await d.act(id, "archive");
  const events = await eventsOf(d.house, d.house.organizations.platform);
  const mine = events.filter(({ target }) => target?.id === id);
  assert.deepEqual(mine.map(({ action }) => action).toReversed(), [
    "deployment.created",
    "deployment.updated",
    "deployment.paused",
    "deployment.unpaused",
    "deployment.archived",
  ]);
});

test("[DEP11] a workspace has so many deployments, and no more", async () => {
  const key = d.house.organizations.other.api_key;
  const agent: { id: string } = await d.good("POST", "/v1/agents", {
    key,
    body: { name: "a", model: "sim-large" },
  });
  const environment: { id: string } = await d.good("POST", "/v1/environments", {
    key,
    body: { name: "e" },
  });
  const body = d.bodyOf({ agent: agent.id, environment_id: environment.id });
  const { id }: { id: string } = await d.good("POST", "/v1/deployments", { key, body });
  await d.house.world.db.tx((tx) =>
    tx.query(sql`
      insert into deployments (id, organization_id, workspace_id, name, agent_id, agent_version,
        environment_id, initial_events, resources, vault_ids, metadata, credential_id, created_at,
        updated_at)
      select 'depl_0' || number, organization_id, workspace_id, name, agent_id, agent_version,
        environment_id, initial_events, resources, vault_ids, metadata, credential_id, created_at,
        updated_at
      from deployments, generate_series(2, ${limits.deploymentsPerWorkspace}) as number
      where id = ${id}`),
  );
  const refused = await d.call("POST", "/v1/deployments", { key, body });
  assert.match(sentenceOf(refused, 400), /10000/);
  assert.equal(refused.body.error.details.error_code, "deployment_limit_exceeded");
  await d.good("POST", `/v1/deployments/${id}/archive`, { key });
  await d.good("POST", "/v1/deployments", { key, body });
});
