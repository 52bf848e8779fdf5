// `plinth init` before the first start, on a database of its own, for each type of organization.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { enterpriseScopes } from "../../server/keys/module.ts";
import { testDatabase, type TestDatabase } from "../postgres.ts";
import {
  ask,
  expectRefusal,
  madeBy,
  openCommandRunner,
  tokenIn,
  urlOf,
  type Made,
  type Server,
  type CommandRunner,
} from "./plinth.ts";

const types = ["platform", "enterprise", "platform_cloud"] as const;

let database: TestDatabase;
let runner: CommandRunner;
let server: Server;
let env: Record<string, string>;
const made = {} as Record<(typeof types)[number], Made>;
before(async () => {
  runner = openCommandRunner();
  database = await testDatabase();
  env = { DATABASE_URL: urlOf(database), PLINTH_DATA_DIR: join(runner.directory, "data") };
  // One after the other: the first of them makes the master key.
  for (const type of types)
    made[type] = madeBy(
      await init([
        "--organization",
        `A ${type}`,
        "--type",
        type,
        "--email",
        `${type}@init.example`,
      ]),
    );
  server = await runner.start(["--workers", "1"], { env });
});
after(async () => {
  await runner[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const init = (args: string[]) => runner.run(["init", "--json", ...args], { env });

for (const type of types)
  test(`${type}: nine keys, and each secret works for what it is for`, async () => {
    const keys = made[type];
    assert.deepEqual(Object.keys(keys), [
      "organization_id",
      "organization_type",
      "workspace_id",
      "owner_email",
      "owner_password",
      "api_key",
      "admin_api_key",
      "oauth_access_token",
      "setup_url",
    ]);
    assert.equal(keys.organization_type, type);
    assert.match(keys.organization_id, /^org_/);
    assert.match(keys.workspace_id, /^wrkspc_/);
    const isThere = type === "platform_cloud" ? 404 : 200;
    for (const key of [keys.admin_api_key, keys.oauth_access_token]) {
      const { status, body } = await ask(server.url, "/v1/organizations/me", { key });
      assert.equal(status, isThere);
      if (isThere === 200) assert.equal(body.id, keys.organization_id);
    }
    // A key of a workspace is known, and told what it may not do.
    const { status } = await ask(server.url, "/v1/organizations/me", { key: keys.api_key });
    assert.equal(status, type === "platform_cloud" ? 404 : 403);
    const signIn = { email: keys.owner_email, password: keys.owner_password };
    const signedIn = await ask(server.url, "/console/api/sign_in", { body: signIn });
    assert.equal(signedIn.body.organization?.id, keys.organization_id);
    const setup = { token: tokenIn(keys.setup_url), password: "a good long password" };
    const owner = await ask(server.url, "/console/api/setup", { body: setup });
    assert.equal(owner.body.user?.email, keys.owner_email);
  });

test("an enterprise admin key has every scope", async () => {
  const [row] = await database.db.query<{ scopes: string[] }>({
    text: "select scopes from keys where organization_id = $1 and kind = 'admin'",
    values: [made.enterprise.organization_id],
  });
  assert.deepEqual(row?.scopes, [...enterpriseScopes]);
});

test("the same name twice is refused, another one is another organization", async () => {
  expectRefusal(await init(["--organization", "a PLATFORM"]), /the name "a PLATFORM" is taken/);
  const another = madeBy(await init(["--organization", "Another"]));
  assert.notEqual(another.organization_id, made.platform.organization_id);
});

test("[IDN17] what is no name, type or address is refused with a sentence", async () => {
  expectRefusal(await init(["--organization", " "]), /--organization: must have a character/);
  expectRefusal(await init(["--organization", "n".repeat(201)]), /--organization: must have/);
  expectRefusal(await init(["--email", "nobody"]), /--email: "nobody" is not an e-mail/);
  expectRefusal(await init(["--email", "ada@example"]), /--email: "ada@example" is not an e-mail/);
  const type = await init(["--type", "plattform"]);
  assert.ok(type.code !== 0);
  assert.match(type.stderr, /platform, enterprise, platform_cloud/);
});

test("without --json it is a table for people", async () => {
  const { code, stdout } = await runner.run(["init", "--organization", "For people"], { env });
  assert.equal(code, 0);
  assert.match(stdout, /^admin_api_key +sk-plinth-admin-\w+$/m);
  assert.match(stdout, /not shown again/);
});
