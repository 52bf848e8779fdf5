// `plinth workspaces bodies` and `plinth logs --body`: the switch, its rules, and what was kept of a request.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { RequestBodySettings } from "../../contract/types.ts";
import { openHouse, type House } from "../house.ts";
import { bodiesOf } from "../rules/request-bodies-house.ts";
import { requestIdOf } from "../rules/requests-house.ts";
import { runInProcess } from "./in-process.ts";

let house: House;
let env: Record<string, string>;
let workspace: string;
before(async () => {
  house = await openHouse();
  const { platform } = house.organizations;
  env = { PLINTH_ADMIN_KEY: platform.admin_api_key, PLINTH_BASE_URL: house.url };
  workspace = await defaultWorkspace();
});
after(() => house[Symbol.asyncDispose]());

const { defaultWorkspace, kept, message } = bodiesOf(() => house);
const run = (...args: string[]) => runInProcess(args, env);
const bodies = (...args: string[]) => run("workspaces", "bodies", workspace, ...args);

test("[RBD1] the switch is shown and set, and its rules replace each other", async () => {
  const off = await bodies();
  assert.equal(off.code, 0, off.stderr);
  assert.match(off.stdout, /kept +no\n/);
  const rules = ["email", "field:metadata.user_id", "word:Project X, or Y"];
  const named = rules.flatMap((rule) => ["--redact", rule]);
  const on = await bodies("--on", "--max-bytes", "2048", "--kept-days", "3", ...named);
  assert.equal(on.code, 0, on.stderr);
  assert.match(on.stdout, /kept +yes\n/);
  assert.match(on.stdout, /2048 bytes/);
  assert.match(on.stdout, /for +3 days/);
  assert.match(on.stdout, new RegExp(`without +secrets, ${rules.join(", ")}`));
  const { stdout } = await bodies("--redact", "none", "--json");
  const settings = JSON.parse(stdout) as RequestBodySettings;
  assert.deepEqual(settings.redact, []);
  assert.equal(settings.enabled, true);
  assert.equal((await bodies("--on", "--off")).code, 2);
  assert.equal((await bodies("--on", "--delete", "--yes")).code, 2);
  const unknown = await bodies("--redact", "/(a+)+/");
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /email, phone, card_number, field:NAME/);
});

test("[RBD9] the body of a request, for people and for programs", async () => {
  await bodies("--on", "--max-bytes", "2048");
  const answer = await message('Hello [[say "Good \\u001b[31mmorning."]]');
  const id = requestIdOf(answer);
  await kept(id);
  const { code, stdout, stderr } = await run("logs", id, "--body");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Request\n\{\n {2}"model": "sim-large",\n/);
  assert.match(stdout, /\nAnswer\n\{\n/);
  assert.equal(stdout.includes("\u001b"), false);
  const { stdout: json } = await run("logs", id, "--body", "--json");
  assert.equal((JSON.parse(json) as { id: string }).id, id);
  const long = requestIdOf(await message("x".repeat(5_000)));
  await kept(long);
  assert.match((await run("logs", long, "--body")).stdout, /^Request, cut: it had 5\d{3} bytes\n/);
  assert.equal((await run("logs", "--body")).code, 2);
});

test("[RBD10] deleting asks first, and says how much is gone", async () => {
  const { code } = await bodies("--delete");
  assert.equal(code, 2);
  const deleted = await bodies("--delete", "--yes");
  assert.equal(deleted.code, 0, deleted.stderr);
  assert.match(deleted.stdout, /^deleted [2-9]\n$/);
  const none = await run("logs", "req_01m8h6qy8p0000yx70x2jp0j3w", "--body");
  assert.equal(none.code, 1);
  assert.match(none.stderr, /no kept body of the request/);
  const gone = await bodies("--off");
  assert.match(gone.stdout, /deleted +what came before \d{4}-/);
});
