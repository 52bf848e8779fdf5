// `plinth groups`: groups by name or id, their people by address, and a sentence where there are none.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { remove } from "../../cli/groups/write.ts";
import { enterpriseScopes, issueKey } from "../../server/keys/module.ts";
import { operator } from "../../server/audit/module.ts";
import { openHouse, type House } from "../house.ts";
import { makePerson } from "../rules/workspaces-house.ts";
import { groupsOf } from "../rules/groups-house.ts";
import { runInProcess } from "./in-process.ts";
import { expectRefusal } from "./plinth.ts";
import { openScreen } from "./screen.ts";

let house: House;
let env: Record<string, string>;
before(async () => {
  house = await openHouse();
  env = { PLINTH_BASE_URL: house.url, PLINTH_ADMIN_KEY: await keyWith(enterpriseScopes) };
});
after(() => house[Symbol.asyncDispose]());

async function keyWith(scopes: readonly (typeof enterpriseScopes)[number][]): Promise<string> {
  const organizationId = house.organizations.enterprise.organization_id;
  const input = { organizationId, kind: "admin", name: "All", scopes, createdBy: null } as const;
  const { world } = house;
  return (await world.db.tx((tx) => issueKey(tx, world, operator, input))).secret;
}

const run = (...args: string[]) => runInProcess(["groups", ...args], env);
const said = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args);
  assert.equal(code, 0, stderr);
  return stdout;
};
async function person(): Promise<string> {
  const { id } = await makePerson(house, house.organizations.enterprise);
  const { stdout } = await runInProcess(["members", "show", id], env);
  return /^e-mail +(\S+)$/m.exec(stdout)?.[1] ?? assert.fail(stdout);
}

test("groups are made, renamed, listed with the names of their roles, shown and deleted", async () => {
  const id = (await said("create", "Engineering")).trim();
  assert.match(id, /^rbac_group_\w+$/);
  await groupsOf(house).give(house.organizations.enterprise, id, ["rbac_role_everyday"]);
  assert.match(
    await said("list"),
    new RegExp(`^ID +NAME .*\n${id} +Engineering +Everyday use +here `),
  );
  assert.match(await said("rename", "Engineering", "Research"), /^name +Research$/m);
  assert.match(
    await said("show", "Research"),
    new RegExp(`^id +${id}\n.*roles +Everyday use$`, "ms"),
  );
  const { data } = JSON.parse(await said("list", "--json")) as { data: { id: string }[] };
  assert.deepEqual(
    data.map((group) => group.id),
    [id],
  );
  expectRefusal(await run("show", "Nobody"), /No group is called "Nobody"/);
  expectRefusal(await run("delete", "Research"), /--yes/);
  const screen = openScreen(env, { readLine: async () => "no" });
  await assert.rejects(remove(screen.terminal, "Research", {}), {
    message: "Nothing was deleted.",
  });
  assert.match(screen.text(), /lose at once what it gave them/);
  assert.equal(await said("delete", "Research", "--yes"), `deleted ${id}\n`);
  assert.match((await run("list")).stderr, /^There are no groups/);
});

test("people are added and removed by address, several at once, all or none", async () => {
  const [ann, bob] = [await person(), await person()];
  await said("create", "Team");
  const none = await run("add", "Team", ann, "none@example.com");
  expectRefusal(none, /No member has the e-mail address/);
  assert.match((await run("members", "Team")).stderr, /^This group has no members/);
  assert.equal(await said("add", "Team", ann, bob), `added ${ann}\nadded ${bob}\n`);
  const listed = await said("members", "Team");
  assert.match(listed, /^ID +E-MAIL +SINCE\n/);
  assert.ok(listed.includes(ann) && listed.includes(bob), listed);
  expectRefusal(await run("remove", "Team", ann), /--yes/);
  assert.equal(await said("remove", "Team", ann, "--yes"), `removed ${ann}\n`);
  assert.ok(!(await said("members", "Team")).includes(ann));
});

test("two groups of one name are told apart by their ids", async () => {
  const [one, two] = [await said("create", "Twins"), await said("create", "Twins")];
  const { code, stderr } = await run("show", "Twins");
  assert.equal(code, 2);
  assert.ok(stderr.includes(one.trim()) && stderr.includes(two.trim()), stderr);
  assert.match(await said("show", one.trim()), /^name +Twins$/m);
});

test("roles are listed, and what one holds", async () => {
  assert.match(await said("roles"), /^ID +NAME +KIND\nrbac_role_\w+ .* built in\n/);
  assert.match(await said("roles", "Everyday use"), /^ACTION\ncapability_\w+\n/);
});

test("a key without the scope to read may add people to a group that it names by its id", async () => {
  const id = (await said("create", "By id")).trim();
  const listed = await runInProcess(["members", "list", "--json"], env);
  const [user] = (JSON.parse(listed.stdout) as { data: { id: string }[] }).data;
  const own = { ...env, PLINTH_ADMIN_KEY: await keyWith(["write:rbac_groups"]) };
  const { code, stderr } = await runInProcess(["groups", "add", id, user?.id ?? ""], own);
  assert.equal(code, 0, stderr);
});

test("another type of organization is told that it has no groups", async () => {
  const own = { ...env, PLINTH_ADMIN_KEY: house.organizations.platform.admin_api_key };
  for (const words of [["list"], ["show", "rbac_group_1"], ["create", "Mine"], ["roles"]]) {
    const refused = await runInProcess(["groups", ...words], own);
    expectRefusal(refused, /This organization has no groups: only an enterprise organization has/);
  }
});
