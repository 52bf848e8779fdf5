// Rules AGT1 to AGT10, AGT31 and AGT32, over HTTP: agents and their versions.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  custom,
  openAgentHouse,
  server,
  toolsetOf,
  type Agent,
  type AgentHouse,
} from "./agents-house.ts";
import { errorOf, statusesOf } from "./memory-house.ts";
import { minutes, sentenceOf } from "./support.ts";

let a: AgentHouse;
before(async () => {
  a = await openAgentHouse();
});
after(() => a[Symbol.asyncDispose]());

const fill = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, "value"]));

test("[AGT1] a new agent is at version 1, whole, and read so again", async () => {
  const made = await a.make({ name: "Helper" });
  assert.match(made.id, /^agent_\w+$/);
  const now = a.wall.now().toISOString();
  assert.deepEqual(made, {
    id: made.id,
    type: "agent",
    version: 1,
    name: "Helper",
    description: null,
    model: { id: "sim-large", effort: { type: "xhigh" }, speed: "standard" },
    system: null,
    system_prompt: null,
    tools: [],
    mcp_servers: [],
    skills: [],
    metadata: {},
    multiagent: null,
    execution_identity: { type: "service_account" },
    created_at: now,
    updated_at: now,
    archived_at: null,
  });
  assert.deepEqual(await a.read(made.id), made);
  const nulls = { description: null, system: null, metadata: null, multiagent: null };
  const lists = { tools: null, mcp_servers: null, skills: null, execution_identity: null };
  const { id, ...rest } = await a.make({ name: "Helper", ...nulls, ...lists });
  const { id: _, ...before } = made;
  assert.deepEqual(rest, before);
  assert.notEqual(id, made.id, "two agents may have one name");
});

test("[AGT2] every version is read as it was, and says when it was made", async () => {
  const first = await a.make({ name: "one" });
  a.wall.advance(minutes(1));
  const second = await a.change(first.id, { name: "two" });
  assert.equal(second.created_at, first.created_at);
  assert.equal(second.updated_at, a.wall.now().toISOString());
  assert.deepEqual(await a.read(`${first.id}?version=1`), first);
  assert.deepEqual(await a.read(`${first.id}?version=2`), second);
  assert.deepEqual(await a.read(first.id), second);
  const missing = sentenceOf(await a.call("GET", `/${first.id}?version=3`), 404);
  assert.equal(missing, `There is no version 3 of the agent ${first.id}, whose newest is 2.`);
  for (const version of ["0", "-1", "1.5", "x", "2147483648"])
    errorOf(await a.call("GET", `/${first.id}?version=${version}`), 400);
  errorOf(await a.call("GET", `/${first.id}?version=2147483647`), 404);
  const archived = await a.archive(first.id);
  assert.deepEqual(await a.read(`${first.id}?version=1`), {
    ...first,
    archived_at: archived.archived_at,
  });
});

test("[AGT2] a clock that runs back makes no version older than the one before", async () => {
  const { id } = await a.make();
  a.wall.advance(minutes(1));
  const second = await a.change(id, { name: "two" });
  a.wall.advance(-minutes(1));
  const third = await a.change(id, { name: "three" });
  a.wall.advance(minutes(1));
  assert.equal(third.updated_at, second.updated_at);
});

test("[AGT3] an update changes what it names and leaves the rest", async () => {
  const whole = {
    name: "one",
    description: "What it does",
    system: "Be brief.",
    tools: [toolsetOf("docs")],
    mcp_servers: [server("docs")],
    metadata: { one: "1", two: "2" },
    execution_identity: { type: "aws_role", role_arn: "arn:aws:iam::123456789012:role/runner" },
  };
  const first = await a.make(whole);
  const second = await a.change(first.id, { name: "two", metadata: { one: null, three: "3" } });
  assert.deepEqual(second, {
    ...first,
    version: 2,
    name: "two",
    metadata: { two: "2", three: "3" },
    updated_at: second.updated_at,
  });
  const cleared = await a.change(first.id, {
    description: "",
    system: null,
    tools: [],
    mcp_servers: null,
    execution_identity: null,
    metadata: { two: null, three: null, none: null },
  });
  const plain = await a.make({ name: "two" });
  assert.deepEqual(
    { ...cleared, id: plain.id, version: 1, created_at: "", updated_at: "" },
    { ...plain, created_at: "", updated_at: "" },
  );
  for (const field of ["name", "model"])
    assert.match(
      sentenceOf(await a.update(first.id, { [field]: null }), 400),
      RegExp(`^${field}:`),
    );
  assert.equal((await a.read(first.id)).version, 3);
});

test("[AGT4] an update that is meant for another version is refused once and for all", async () => {
  const { id } = await a.make();
  await a.change(id, { version: 1, name: "two" });
  for (const version of [1, 3]) {
    const answer = await a.update(id, { version, name: "three" });
    const { message, details } = errorOf(answer, 409, "agent_version_conflict");
    assert.match(message, new RegExp(`^version: the agent ${id} is at version 2 by now`));
    assert.deepEqual(details, { error_code: "agent_version_conflict", current_version: 2 });
    assert.equal(answer.headers.get("x-should-retry"), "false");
  }
  errorOf(await a.update(id, { version: 0 }), 400);
  assert.equal((await a.change(id, { version: 2, name: "three" })).version, 3);
});

test("[AGT5] of updates at once that are meant for one version, one goes through", async () => {
  const { id } = await a.make();
  const answers = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((at) => a.update(id, { version: 1, name: `by ${at}` })),
  );

  assert.deepEqual(statusesOf(answers), [200, 409, 409, 409, 409, 409]);
  const winner = answers.find(({ status }) => status === 200)?.body as Agent;
  assert.deepEqual(await a.read(id), winner);
});

test("[AGT5] of updates at once that name no version, none takes another's fields back", async () => {
  const { id } = await a.make();
  const keys = Array.from({ length: 8 }, (_, at) => `key-${at}`);
  const made = await Promise.all([
    ...keys.map((key) => a.change(id, { metadata: { [key]: key } })),
    a.change(id, { name: "new" }),
    a.change(id, { system: "Be brief." }),
  ]);
  assert.deepEqual(
    made.map(({ version }) => version).toSorted((x, y) => x - y),
    Array.from({ length: 10 }, (_, at) => at + 2),
  );
  const { name, system, metadata, version } = await a.read(id);
  assert.deepEqual([name, system, version], ["new", "Be brief.", 11]);
  assert.deepEqual(metadata, Object.fromEntries(keys.map((key) => [key, key])));
});

test("[AGT6] an archived agent is read, and changed no more", async () => {
  const made = await a.make();
  a.wall.advance(minutes(1));
  const archived = await a.archive(made.id);
  assert.deepEqual(archived, { ...made, archived_at: a.wall.now().toISOString() });
  a.wall.advance(minutes(1));
  assert.deepEqual(await a.archive(made.id), archived, "a second time");
  for (const body of [{ name: "b" }, {}, { version: 7 }])
    assert.match(errorOf(await a.update(made.id, body), 400, "agent_archived").message, /archived/);
  assert.deepEqual(await a.read(made.id), archived);
});

test("[AGT7] what leaves everything as it is makes no version", async () => {
  const made = await a.make({
    description: "d",
    system: "s",
    metadata: { one: "1" },
    tools: [toolsetOf("docs")],
    mcp_servers: [server("docs")],
  });
  a.wall.advance(minutes(1));
  const { id, type: _, version, created_at, updated_at, archived_at, ...sent } = made;
  assert.deepEqual([version, created_at, archived_at], [1, updated_at, null]);
  const same = [{}, { name: "a" }, { version: 1 }, { metadata: null }, { metadata: { x: null } }];
  for (const body of [...same, { model: "sim-large" }, sent])
    assert.deepEqual((await a.update(id, body)).body, made, JSON.stringify(body));
});

test("[AGT7] what was read is sent back whole, in either version of the API, and changes what is changed in it", async () => {
  const { id: member } = await a.make({ name: "member" });
  const made = await a.make({
    system: "s",
    metadata: { one: "1" },
    tools: [toolsetOf("docs"), custom("look")],
    mcp_servers: [server("docs")],
    multiagent: { type: "coordinator", agents: [{ type: "self" }, member] },
  });
  for (const version of ["2023-06-01", "2026-10-21"]) {
    const headers = { "vendor-version": version };
    const read = await a.read(made.id, { headers });
    const sent = await a.good<Agent>("POST", `/${made.id}`, { headers, body: read });
    assert.deepEqual(sent, read);
  }
  const changed = await a.change(made.id, { ...made, system: "Other." });
  assert.deepEqual(
    [changed.version, changed.system, changed.system_prompt],
    [2, "Other.", "Other."],
  );
  const back = { ...made, version: 2, updated_at: changed.updated_at };
  const prompted = await a.change(made.id, { ...back, system: "Other.", system_prompt: "Third." });
  assert.deepEqual([prompted.version, prompted.system], [3, "Third."]);
  const stale = await a.update(made.id, { ...back, name: "late" });
  errorOf(stale, 409, "agent_version_conflict");
  const wrong: [object, RegExp][] = [
    [{ id: "agent_other" }, /^id: is "agent_other", and agent_\w+ is being updated/],
    [{ type: "session" }, /^type: must be "agent"/],
    [{ archived_at: made.created_at }, /^archived_at: is not set by an update/],
    [{ created_at: "yesterday" }, /^created_at: /],
    [{ status: "idle" }, /^status: is not known here/],
  ];
  for (const [fields, sentence] of wrong)
    assert.match(sentenceOf(await a.update(made.id, { name: "b", ...fields }), 400), sentence);
  assert.deepEqual(await a.read(made.id), prompted);
});

test("[AGT7] what is sent back as it was read is not judged again", async () => {
  const { cookie } = a.platform;
  const set = (more: object) =>
    a.house.ask("POST", "/console/api/models", {
      cookie,
      body: { id: "fading", upstream: "simulator", ...more },
    });
  assert.equal((await set({})).status, 200);
  const { id: member } = await a.make({ name: "member" });
  const multiagent = { type: "coordinator", agents: [member] };
  const made = await a.make({ model: "fading", multiagent });
  assert.equal((await set({ lifecycle: "retired" })).status, 200);
  await a.archive(member);
  const changed = await a.change(made.id, { ...made, name: "b" });
  assert.deepEqual([changed.version, changed.name, changed.model], [2, "b", made.model]);
  assert.match(
    sentenceOf(await a.update(made.id, { model: { id: "fading", speed: "fast" } }), 400),
    /fading/,
  );
});

test("[AGT8] agents and versions are listed newest first", async () => {
  const { wall } = a;
  wall.advance(minutes(60));
  const begin = wall.now().toISOString();
  const made: Agent[] = [];
  for (const name of ["one", "two", "three"]) {
    made.push(await a.make({ name }));
    wall.advance(minutes(1));
  }
  const [one, two, three] = made as [Agent, Agent, Agent];
  const archived = await a.archive(two.id);
  const list = async (query: Record<string, string>) =>
    (await a.all("", query)).flatMap(({ data }) => data);
  assert.deepEqual(await list({ "created_at[gte]": begin, limit: "1" }), [three, one]);
  const everything = { include_archived: "true", "created_at[gte]": begin };
  assert.deepEqual(await list(everything), [three, archived, one]);
  const between = { "created_at[gte]": two.created_at, "created_at[lte]": two.created_at };
  assert.deepEqual(await list({ ...everything, ...between }), [archived]);
  const versions = [one];
  for (const name of ["b", "c", "d"]) versions.unshift(await a.change(one.id, { name }));
  for (const limit of ["1", "2", "100"]) {
    const pages = await a.all(`/${one.id}/versions`, { limit });
    assert.deepEqual(
      pages.flatMap(({ data }) => data),
      versions,
    );
  }
  assert.deepEqual((await list(everything))[2], versions[0], "a list has the newest version");
});

test("[AGT9] what does not fit is named, and the longest of everything fits", async () => {
  await a.refuses([
    [{ name: "" }, /^name: /],
    [{ name: " \u00a0 " }, /^name: must have a character that can be seen/],
    [{ name: "a".repeat(257) }, /^name: must have at most 256 characters/],
    [{ name: "a\nb" }, /^name: /],
    [{ description: "d".repeat(2_049) }, /^description: .*2048 characters/],
    [{ metadata: fill(17) }, /^metadata: must have at most 16 keys; it would have 17/],
    [{ metadata: { "": "x" } }, /^metadata: each key must have 1 to 64 characters/],
    [{ metadata: { ["k".repeat(65)]: "x" } }, /^metadata: each key must have 1 to 64/],
    [{ metadata: { key: "v".repeat(513) } }, /^metadata\.key: .*512 characters/],
    [{ metadata: { key: null } }, /^metadata\.key: must be a string/],
    [{ system: "s".repeat(100_001) }, /^system: .*100000 characters/],
    [{ archived_at: null }, /^archived_at: is not known here/],
  ]);
  const whole = {
    name: "😀".repeat(256),
    description: "é".repeat(2_048),
    metadata: { ...fill(15), ["😀".repeat(64)]: "😀".repeat(512) },
    system: "😀".repeat(100_000),
  };
  const { id } = await a.make(whole);
  const { name, description, metadata, system } = await a.read(id);
  assert.deepEqual({ name, description, metadata, system }, whole);
  const more = { metadata: { another: "x" } };
  assert.match(sentenceOf(await a.update(id, more), 400), /^metadata: .*it would have 17/);
});

test("[AGT10] system and system_prompt are one field", async () => {
  for (const sent of [
    { system: "Be brief." },
    { system_prompt: "Be brief." },
    { system: "Be brief.", system_prompt: "Be brief." },
  ]) {
    const { id, system, system_prompt } = await a.make(sent);
    assert.deepEqual([system, system_prompt], ["Be brief.", "Be brief."]);
    const cleared = await a.change(id, { system_prompt: "" });
    assert.deepEqual([cleared.system, cleared.system_prompt], [null, null]);
    const both = sentenceOf(await a.update(id, { system: "y", system_prompt: "x" }), 400);
    assert.match(both, /^system_prompt: is another name of system/);
    await a.change(id, { system: "", system_prompt: null });
  }
  await a.refuses([[{ system: "a", system_prompt: "b" }, /^system_prompt: /]]);
});

test("[AGT31] an agent runs as the service account, or as a role that is named", async () => {
  const role_arn = `arn:aws:iam::123456789012:role/${"r".repeat(2_017)}`;
  assert.equal(role_arn.length, 2_048);
  const execution_identity = { type: "aws_role", role_arn };
  const made = await a.make({ execution_identity });
  assert.deepEqual((await a.read(made.id)).execution_identity, execution_identity);
  const back = await a.change(made.id, { execution_identity: { type: "service_account" } });
  assert.deepEqual(back.execution_identity, { type: "service_account" });
  const role = (arn: string) => ({ execution_identity: { type: "aws_role", role_arn: arn } });
  await a.refuses([
    [role(`${role_arn}r`), /^execution_identity\.role_arn: .*2048 characters/],
    [role("runner"), /^execution_identity\.role_arn: must be the ARN of a role, such as arn:/],
    [{ execution_identity: { type: "aws_role" } }, /^execution_identity\.role_arn: is required/],
    [{ execution_identity: { type: "person" } }, /^execution_identity\.type: must be one of/],
  ]);
});

test("[AGT32] an effort is a word in the older version of the API, and an object in the newer", async () => {
  const { id } = await a.make({ model: { id: "sim-large", effort: "low" } });
  const effortIn = async (headers: Record<string, string>, path = `/${id}`) =>
    (await a.good<Agent>("GET", path, { headers })).model.effort;
  assert.deepEqual(await effortIn({ "vendor-version": "2026-10-21" }), { type: "low" });
  assert.equal(await effortIn({ "vendor-version": "2023-06-01" }), "low");
  assert.equal(await effortIn({ "vendor-version": "" }), "low");
  const older = { headers: { "vendor-version": "2023-06-01" } };
  for (const path of [`?limit=1`, `/${id}/versions`]) {
    const { data } = await a.good<{ data: Agent[] }>("GET", path, older);
    assert.equal(data[0]?.model.effort, "low", path);
  }
});
