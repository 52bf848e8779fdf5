// Rules SES2 and SES3: what an agent and its members need and this server has not, or has no more.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { withoutSandboxes } from "./fake-sandboxes.ts";
import { errorOf } from "./memory-house.ts";
import {
  computer,
  openSessionHouse,
  rowsOf,
  said,
  wordsOf,
  type SessionHouse,
} from "./sessions-house.ts";
import { folder, skillsOf } from "./skills-house.ts";

let it: SessionHouse;
let skills: ReturnType<typeof skillsOf>;
before(async () => {
  it = await openSessionHouse();
  skills = skillsOf(() => it.house);
});
after(() => it[Symbol.asyncDispose]());

const coordinator = (...agents: unknown[]) => ({ type: "coordinator", agents });
/** An agent whose only member has these fields. */
const leaderOf = async (memberBody: object, asMember: (id: string) => object = coordinator) => {
  const member = await it.agent({ name: "Worker", ...memberBody });
  return { member, leader: await it.agent({ name: "Lead", multiagent: asMember(member.id) }) };
};
/** Neither begins: what is refused leaves nothing behind. */
const refuses = async (body: object, code: string, words: RegExp) => {
  const before = await rowsOf(it.house);
  assert.match(errorOf(await it.tryBegin(body), 400, code).message, words);
  assert.deepEqual(await rowsOf(it.house), before);
};

test("[SES3] a member in a cloud environment has no tools of a computer where there are no sandboxes", async () => {
  withoutSandboxes(it.house);
  const cloud = (await it.environment("cloud")).id;
  const own = (await it.environment()).id;
  const newer = (id: string) => ({
    type: "multiagent_20261001",
    subagents: { type: "enabled", predefined_agents: [id] },
    workflows: { type: "disabled" },
  });
  for (const asMember of [coordinator, newer]) {
    const { leader, member } = await leaderOf({ tools: [computer()] }, asMember);
    const inCloud = { agent: leader.id, environment_id: cloud };
    await refuses(inCloud, "unsupported", /^environment_id: .*cloud.*member "Worker" has them/);
    await it.begin({ ...inCloud, environment_id: own });
    // The version that the leader keeps is the one that counts.
    await it.askGood("POST", `/v1/agents/${member.id}`, { body: { tools: [] } });
    await refuses(inCloud, "unsupported", /member "Worker" has them/);
  }
  const { leader } = await leaderOf({});
  await it.begin({ agent: leader.id, environment_id: cloud });
});

test("[SES3] what a member needs and this server has not is refused by the member's name", async () => {
  const environment_id = (await it.environment()).id;
  const identity = { type: "aws_role", role_arn: "arn:aws:iam::123456789012:role/one" };
  const members: [object, RegExp][] = [
    [{ execution_identity: identity }, /^agent: its member "Worker" has the execution_identity/],
  ];
  for (const [fields, words] of members) {
    const { leader } = await leaderOf(fields);
    await refuses({ agent: leader.id, environment_id }, "unsupported", words);
  }
});

test("[SES2] a member's model that is gone or retired is named with the member", async () => {
  const { cookie } = it.platform;
  const set = (more: object) =>
    it.house.ask("POST", "/console/api/models", {
      cookie,
      body: { id: "fading", upstream: "simulator", ...more },
    });
  assert.equal((await set({})).status, 200);
  const { leader } = await leaderOf({ model: "fading" });
  const body = { agent: leader.id, environment_id: (await it.environment()).id };
  await it.begin(body);
  assert.equal((await set({ lifecycle: "retired" })).status, 200);
  await refuses(body, "model_retired", /"fading" of its member "Worker" is retired/);
  await it.house.ask("DELETE", "/console/api/models/fading", { cookie });
  await refuses(body, "model_not_found", /"fading" of its member "Worker" is gone/);
});

test("[SES2] a skill that is gone, or its version, is named, unless the session overrides it", async () => {
  const { id: skill_id, latest_version_id: first } = await skills.upload(folder());
  const second = await skills.addVersion(skill_id, folder({ "pdf-forms/a": "a" }));
  const named = (version: string) => [{ type: "custom", skill_id, version }];
  const body = await it.bodyOf({ skills: named(second.id) });
  const { leader } = await leaderOf({ skills: named(second.id) });
  const led = { ...body, agent: leader.id };
  const older = await it.bodyOf({ skills: named(first) });
  const session = await it.begin(body);
  await it.begin(led);
  const version = await skills.call("DELETE", `/${skill_id}/versions/${second.id}`);
  assert.equal(version.status, 200);
  const gone = `version ${second.id} of the skill ${skill_id}`;
  await refuses(body, "skill_not_found", new RegExp(`^agent: ${gone} is gone`));
  await refuses(led, "skill_not_found", new RegExp(`${gone} of its member "Worker" is gone`));
  await it.begin(older);
  assert.equal((await skills.call("DELETE", `/${skill_id}`)).status, 200);
  await refuses(older, "skill_not_found", new RegExp(`^agent: the skill ${skill_id} is gone`));
  const overriding = (more: object) => ({
    ...body,
    agent: { type: "agent_with_overrides", id: body.agent, ...more },
  });
  await it.begin(overriding({ skills: [] }));
  await refuses(overriding({ system: "Mine." }), "skill_not_found", /is gone/);
  // What has begun goes on.
  assert.deepEqual(wordsOf(await it.turn(session.id, said('[[say "Still here."]]'))), [
    "Still here.",
  ]);
});
