// Rules AGT25 to AGT30, over HTTP: skills, and the agents that an agent may work with.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openAgentHouse, type Agent, type AgentHouse } from "./agents-house.ts";
import { addWorkspace } from "./memory-house.ts";
import { sentenceOf } from "./support.ts";

let a: AgentHouse;
before(async () => {
  a = await openAgentHouse();
});
after(() => a[Symbol.asyncDispose]());

const coordinator = (...agents: unknown[]) => ({ multiagent: { type: "coordinator", agents } });
const newer = (more: object = {}) => ({ multiagent: { type: "multiagent_20261001", ...more } });
const member = ({ id }: { id: string }, version = 1) => ({ type: "agent", id, version });
const many = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, at) => a.make({ name: `member ${at}` })));
const on = { type: "enabled" };
const off = { type: "disabled" };

test("[AGT25] a skill that is not there is named, and none is named twice", async () => {
  const skill = (skill_id: string, more: object = {}) => ({ type: "custom", skill_id, ...more });
  const different = (count: number) =>
    Array.from({ length: count }, (_, at) => skill(`skill_${at}`));
  await a.refuses([
    [{ skills: [skill("skill_none")] }, /^skills\.0\.skill_id: there is no skill "skill_none"/],
    [{ skills: [{ type: "anthropic", skill_id: "xlsx" }] }, /^skills\.0\.skill_id: /],
    [
      { skills: [skill("a"), skill("a", { version: "1" })] },
      /^skills\.1\.skill_id: "a" is named twice/,
    ],
    [{ skills: different(64) }, /^skills\.0\.skill_id: there is no skill/],
    [{ skills: different(65) }, /^skills: must have at most 64 items/],
    [{ skills: [{ type: "mine", skill_id: "a" }] }, /^skills\.0\.type: must be one of/],
  ]);
});

test("[AGT26] members are kept at a version: the one that is named, or the newest then", async () => {
  const [one, two, three] = (await many(3)) as [Agent, Agent, Agent];
  await a.change(one.id, { name: "changed" });
  await a.change(two.id, { name: "changed" });
  const agents = [one.id, member(two), { type: "agent", id: three.id }];
  const made = await a.make(coordinator(...agents));
  const kept = coordinator(member(one, 2), member(two, 1), member(three, 1)).multiagent;
  assert.deepEqual(made.multiagent, kept);
  await a.change(one.id, { name: "changed again" });
  await a.archive(three.id);
  const renamed = await a.change(made.id, { name: "b" });
  assert.deepEqual(renamed.multiagent, kept);
  // Sent back as it was read it is not judged again; in another list it is.
  assert.deepEqual(await a.change(made.id, { multiagent: kept }), renamed);
  const fewer = coordinator(member(one, 2), member(three, 1));
  const again = sentenceOf(await a.update(made.id, fewer), 400);
  assert.equal(again, `multiagent.agents.1: the agent ${three.id} is archived; name another.`);
});

test("[AGT26] another workspace's agent is as unknown as an invented one", async () => {
  const { house, other, platform } = a;
  const foreign = await a.make({}, { key: other.api_key });
  const workspace = await addWorkspace(house, platform.organization_id, "wrkspc_second");
  const asking = { cookie: platform.cookie, ...workspace };
  const beside = await a.make({}, asking);
  const [own] = (await many(1)) as [Agent];
  for (const id of [foreign.id, beside.id, "agent_none", "x"])
    for (const [body, path] of [
      [coordinator(own.id, id), "multiagent.agents.1"],
      [
        newer({ subagents: { ...on, predefined_agents: [id] } }),
        "multiagent.subagents.predefined_agents.0",
      ],
      [
        newer({ workflows: { ...on, predefined_agents: [id] } }),
        "multiagent.workflows.predefined_agents.0",
      ],
    ] as const)
      assert.equal(
        sentenceOf(await a.create(body), 400),
        `${path}: there is no agent ${id} in this workspace; name another.`,
      );
  await a.refuses([
    [coordinator(member(own, 2)), /^multiagent\.agents\.0: the agent agent_\w+ has no version 2/],
    [coordinator(member(own, 0)), /^multiagent\.agents\.0\.version: must be at least 1/],
  ]);
});

test("[AGT27] there are 1 to 20 members, each named once", async () => {
  const all = await many(21);
  const ids = all.map(({ id }) => id);
  const [one = ""] = ids;
  const advisors = ["sim-large", "sim-small"].map((model) => ({ type: "advisor", model }));
  await a.make(coordinator(...ids.slice(0, 20)));
  const mixed = await a.make(
    coordinator(advisors[0], ...ids.slice(0, 17), advisors[1], { type: "self" }),
  );
  assert.deepEqual(
    (mixed.multiagent as { agents: { type: string }[] }).agents.map(({ type }) => type),
    ["advisor", ...Array.from({ length: 17 }, () => "agent"), "advisor", "agent"],
  );
  const listed = (field: string, predefined_agents: unknown[]) =>
    newer({ [field]: { ...on, predefined_agents } });
  for (const field of ["subagents", "workflows"]) {
    await a.make(listed(field, ids.slice(0, 20)));
    await a.refuses([
      [listed(field, ids), RegExp(`^multiagent\\.${field}\\.predefined_agents: .*20 items`)],
      [listed(field, [one, member({ id: one })]), /predefined_agents\.1: agent_\w+ is named twice/],
      [listed(field, [{ type: "advisor", model: "sim-large" }]), /predefined_agents\.0/],
    ]);
  }
  await a.refuses([
    [coordinator(), /^multiagent\.agents: must not be empty/],
    [coordinator(...ids), /^multiagent\.agents: must have at most 20 items/],
    [coordinator(advisors[0], one, one), /^multiagent\.agents\.2: agent_\w+ is named twice/],
    [coordinator(one, member({ id: one })), /^multiagent\.agents\.1: agent_\w+ is named twice/],
    [
      coordinator({ type: "self" }, { type: "self" }),
      /^multiagent\.agents\.1: the agent itself is named/,
    ],
    [
      coordinator(advisors[0], one, advisors[0]),
      /^multiagent\.agents\.2\.model: sim-large is an advisor/,
    ],
    [{ multiagent: { type: "swarm" } }, /^multiagent\.type: must be one of "coordinator"/],
  ]);
});

test("[AGT28] a member has no members of its own", async () => {
  const [plain] = (await many(1)) as [Agent];
  const leader = await a.make(coordinator(plain.id));
  const other = await a.make(newer({ subagents: off, workflows: off }));
  for (const { id } of [leader, other])
    await a.refuses([
      [
        coordinator(id),
        /^multiagent\.agents\.0: version 1 of the agent agent_\w+ has multiagent itself/,
      ],
      [
        newer({ subagents: { ...on, predefined_agents: [id] } }),
        /predefined_agents\.0: version 1 of/,
      ],
    ]);
  await a.change(leader.id, { multiagent: null });
  const made = await a.make(coordinator(leader.id));
  assert.deepEqual(made.multiagent, coordinator(member(leader, 2)).multiagent);
  await a.refuses([
    [coordinator(member(leader, 1)), /^multiagent\.agents\.0: version 1 of the agent/],
  ]);
});

test("[AGT29] the newer form has its defaults, and an update is merged into it", async () => {
  const [one, two] = (await many(2)) as [Agent, Agent];
  const members = (...predefined_agents: unknown[]) => ({
    ...on,
    inline_agents: on,
    predefined_agents,
  });
  const made = await a.make(newer());
  const usual = { subagents: members(), workflows: members(), advisor: off };
  assert.deepEqual(made.multiagent, newer(usual).multiagent);
  const after = async (more: object) => (await a.change(made.id, newer(more))).multiagent;
  const advisor = { ...on, model: "sim-small" };
  const first = { subagents: { ...on, predefined_agents: [one.id] }, workflows: off, advisor };
  const kept = { subagents: members(member(one)), workflows: off, advisor };
  assert.deepEqual(await after(first), newer(kept).multiagent);
  assert.deepEqual(await after({}), newer(kept).multiagent, "what is not named stays");
  const inline_agents = off;
  const closed = { ...members(member(one)), inline_agents };
  assert.deepEqual(
    await after({ subagents: { ...on, inline_agents } }),
    newer({ ...kept, subagents: closed }).multiagent,
  );
  assert.deepEqual(
    await after({ subagents: { ...on, predefined_agents: [two.id] } }),
    newer({ ...kept, subagents: { ...closed, predefined_agents: [member(two)] } }).multiagent,
  );
  for (const predefined_agents of [null, []]) {
    const emptied = await a.update(made.id, newer({ subagents: { ...on, predefined_agents } }));
    assert.match(
      sentenceOf(emptied, 400),
      /^multiagent\.subagents\.predefined_agents: must name an agent/,
    );
  }
  assert.deepEqual(
    await after({ subagents: { ...on, inline_agents: null }, workflows: null, advisor: null }),
    newer({ ...usual, subagents: members(member(two)) }).multiagent,
  );
  assert.deepEqual(
    await after({ subagents: off, workflows: { ...on, predefined_agents: [one.id] } }),
    newer({ ...usual, subagents: off, workflows: members(member(one)) }).multiagent,
  );
  assert.deepEqual(
    await after({ subagents: on, workflows: off }),
    newer({ ...usual, workflows: off }).multiagent,
    "another type replaces",
  );
  await a.change(made.id, coordinator(one.id));
  assert.deepEqual(await after({}), newer(usual).multiagent, "another form replaces");
  await a.refuses([
    [
      newer({ workflows: { ...on, inline_agents: off } }),
      /^multiagent\.workflows\.predefined_agents: /,
    ],
    [newer({ workflows: { inline_agents: on } }), /^multiagent\.workflows\.type: is required/],
    [newer({ advisor: on }), /^multiagent\.advisor\.model: is required/],
    [
      newer({ advisor: { ...on, model: "none" } }),
      /^multiagent\.advisor\.model: there is no model/,
    ],
  ]);
});

test("[AGT30] an agent that is its own member is so at every version", async () => {
  const [one] = (await many(1)) as [Agent];
  const made = await a.make(coordinator({ type: "self" }, one.id));
  const shown = (version: number) => coordinator(member(made, version), member(one)).multiagent;
  assert.deepEqual(made.multiagent, shown(1));
  const same = await a.change(made.id, { multiagent: made.multiagent });
  assert.deepEqual(same, made, "what was read is sent back");
  const second = await a.change(made.id, { name: "b" });
  assert.deepEqual(second.multiagent, shown(2));
  assert.deepEqual((await a.read(`${made.id}?version=1`)).multiagent, shown(1));
  assert.equal((await a.change(made.id, coordinator(made.id, one.id))).version, 2, "by its own id");
  const twice = sentenceOf(await a.update(made.id, coordinator({ type: "self" }, made.id)), 400);
  assert.match(twice, /^multiagent\.agents\.1: the agent itself is named twice/);
  const self = { ...on, predefined_agents: [{ type: "self" }] };
  const newest = await a.change(made.id, newer({ subagents: self, workflows: self }));
  const list = { ...on, inline_agents: on, predefined_agents: [member(made, 3)] };
  assert.deepEqual(
    newest.multiagent,
    newer({ subagents: list, workflows: list, advisor: off }).multiagent,
  );
});

test("[AGT30] an advisor is a model that the caller may use", async () => {
  const advisor = (model: string) => coordinator({ type: "advisor", model });
  const { multiagent } = await a.make(advisor("claude-opus-5-5"));
  assert.deepEqual(multiagent, advisor("claude-opus-5-5").multiagent);
  await a.refuses([
    [advisor("none"), /^multiagent\.agents\.0\.model: there is no model "none"/],
    [coordinator({ type: "advisor" }), /^multiagent\.agents\.0\.model: is required/],
  ]);
});
