// `plinth members` and `plinth invites`: people by id or by e-mail, and workspaces that take them so.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { remove } from "../../cli/members/members.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { makePerson, workspacesOf } from "../rules/workspaces-house.ts";
import { runInProcess } from "./in-process.ts";
import { expectRefusal } from "./plinth.ts";
import { openScreen } from "./screen.ts";

let house: House;
let platform: Tenant;
let env: Record<string, string>;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
  env = { PLINTH_ADMIN_KEY: platform.admin_api_key, PLINTH_BASE_URL: house.url };
});
after(() => house[Symbol.asyncDispose]());

const run = (...args: string[]) => runInProcess(args, env);
const said = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args);
  assert.equal(code, 0, stderr);
  return stdout;
};
async function person() {
  const { id } = await makePerson(house, platform);
  const [, email = ""] = /^e-mail +(\S+)$/m.exec(await said("members", "show", id)) ?? [];
  return { id, email };
}

test("members are listed, found by id and by e-mail, and given roles", async () => {
  const { id, email } = await person();
  assert.match(await said("members", "list"), /^ID +E-MAIL +NAME +ROLE +SINCE\n/);
  const one = await said("members", "list", "--email", email);
  assert.equal(one.trim().split("\n").length, 2);
  assert.ok(one.includes(id));
  assert.equal(await said("members", "role", email, "developer"), `${email} is developer\n`);
  assert.match(await said("members", "show", email), /^role +developer$/m);
  assert.ok((await said("members", "list", "--role", "developer")).includes(id));
  assert.equal(await said("members", "sign-out", email), `signed out ${email}\n`);
  assert.match((await run("members", "list", "--role", "billing")).stderr, /^There are no such/);
  expectRefusal(await run("members", "show", "none@example.com"), /No member has the e-mail/);
  const king = await run("members", "role", email, "king");
  assert.equal(king.code, 2);
  assert.match(king.stderr, /must be one of user,/);
  const odd = await run("members", "show", "../invites");
  assert.deepEqual([odd.code, odd.stdout], [1, ""], odd.stderr);
});

test("a member is removed when a person says so, and not before", async () => {
  const { id, email } = await person();
  expectRefusal(await run("members", "remove", email), /--yes/);
  const screen = openScreen(env, { readLine: async () => "no" });
  await assert.rejects(remove(screen.terminal, email, {}), { message: "The member stays." });
  assert.match(screen.text(), new RegExp(`keys that they made live on.*Remove ${email}\\?`, "s"));
  assert.ok((await said("members", "show", id)).includes(email));
  assert.equal(await said("members", "remove", email, "--yes"), `removed ${email}\n`);
  expectRefusal(await run("members", "show", email), /No member has the e-mail/);
});

test("invites are made, listed by their state, and withdrawn", async () => {
  const { code, stdout, stderr } = await run("invites", "create", "new@example.com");
  assert.equal(code, 0, stderr);
  const id = stdout.trim();
  assert.match(stderr, /^Invited new@example\.com as user, until \d{4}-\d\d-\d\d\.$/m);
  const pending = await said("invites", "list", "--status", "pending");
  assert.match(pending, new RegExp(`^${id}  new@example\\.com  user  pending`, "m"));
  const accepted = await run("invites", "list", "--status", "accepted");
  assert.match(accepted.stderr, /^There are no such invites/);
  assert.equal(await said("invites", "withdraw", id), `withdrew ${id}\n`);
  assert.match((await run("invites", "list")).stderr, /^There are no such invites/);
  const wrong = await run("invites", "create", "no address");
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /^plinth: email: must be an e-mail address/);
});

test("a workspace takes members by e-mail, too", async () => {
  const { email } = await person();
  const workspace = await workspacesOf(house).make(platform, { name: "By e-mail" });
  const members = (...args: string[]) => said("workspaces", "members", ...args);
  const developer = ["--role", "developer"];
  assert.equal(
    await members("add", workspace, email, ...developer),
    `added ${email} as workspace_developer\n`,
  );
  assert.equal(
    await members("update", workspace, email, "--role", "admin"),
    `${email} is workspace_admin\n`,
  );
  assert.equal(await members("remove", workspace, email, "--yes"), `removed ${email}\n`);
  const unknown = await run("workspaces", "members", "add", workspace, "none@example.com");
  expectRefusal(unknown, /No member has the e-mail address "none@example\.com"/);
});
