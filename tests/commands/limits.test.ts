// `plinth limits`: what holds and what is used of it, and how both are set.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addSignedIn } from "../rules/members-house.ts";
import { workspacesOf } from "../rules/workspaces-house.ts";
import { runInProcess } from "./in-process.ts";
import { expectRefusal } from "./plinth.ts";

let house: House;
let platform: Tenant;
before(async () => {
  house = await openHouse({ sections: { limits: { spend_limits_api: "write" } } });
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const run = (tenant: Tenant, ...args: string[]) =>
  runInProcess(["limits", ...args], {
    PLINTH_ADMIN_KEY: tenant.admin_api_key,
    PLINTH_BASE_URL: house.url,
  });
const said = async (tenant: Tenant, ...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(tenant, ...args);
  assert.equal(code, 0, stderr);
  return stdout;
};
const askModel = () =>
  house.ask("POST", "/v1/messages", {
    key: platform.api_key,
    body: { model: "sim-large", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] },
  });

test("rates that are set or used are shown, and the spend of the month with its share", async () => {
  const { stdout, stderr } = await run(platform);
  assert.match(stdout, /^SPEND OF \d{4}-\d\d +LIMIT +SPENT +UNDER WAY +USED\norganization +none /);
  assert.match(stderr, /\d+ more rates, neither set nor used, with --all\./);
  assert.equal((await askModel()).status, 200);
  assert.equal(
    await said(platform, "spend", "12.50", "--organization"),
    "the organization: at most $12.50, monthly\n",
  );
  const text = await said(platform);
  assert.match(
    text,
    /^MODELS +A MINUTE +LIMIT +LAST MINUTE +USED +FROM\nsim-large +requests +1,000,000 +1 +0 % +default\n/,
  );
  assert.match(text, /^organization +\$12\.50 +\$\d.* \d %$/m);
  assert.match(text, /^Default +none /m);
  assert.match(await said(platform, "--ids"), /^wrkspc_\w+ +none /m);
  assert.match(await said(platform, "--all"), /^sim-small +requests +1,000,000 +0 /m);
  const json = JSON.parse(await said(platform, "--json")) as {
    type: string;
    rate_limits: unknown[];
  };
  assert.deepEqual([json.type, json.rate_limits.length > 1], ["limits", true]);
  assert.equal(
    await said(platform, "spend", "none", "--organization"),
    "the organization: no limit\n",
  );
});

test("rates of a workspace are set by the name of the group, and taken away", async () => {
  const workspace = await workspacesOf(house).make(platform, { name: "Rated" });
  const set = await said(
    platform,
    "rate",
    workspace,
    "sim-large",
    "--requests",
    "100",
    "--output-tokens",
    "5000",
  );
  assert.equal(
    set,
    "sim-large: requests, 100 a minute\nsim-large: output tokens, 5,000 a minute\n",
  );
  const shown = await said(platform, "--workspace", workspace);
  assert.match(shown, /^sim-large +requests +100 +0 +0 % +workspace$/m);
  assert.match(shown, /\nSPEND OF .*\nRated .*\n$/);
  const gone = await said(platform, "rate", workspace, "sim-large", "--requests", "none");
  assert.equal(gone, "sim-large: requests, no limit of its own\n");
  assert.doesNotMatch(await said(platform, "--workspace", workspace), /^sim-large +requests/m);
  expectRefusal(
    await run(platform, "rate", workspace, "none", "--requests", "1"),
    /No group of models is called "none": there are .*sim-large/,
  );
  expectRefusal(await run(platform, "rate", workspace, "sim-large"), /Say what to set/);
});

test("what is no amount or names no one scope is refused before anything is asked", async () => {
  for (const amount of ["-1", "1.234", "much", "1e3"])
    assert.equal((await run(platform, "spend", "--organization", "--", amount)).code, 2, amount);
  const sentence = /Say whose limit it is/;
  expectRefusal(await run(platform, "spend", "5"), sentence);
  expectRefusal(
    await run(platform, "spend", "5", "--organization", "--member", "a@b.example"),
    sentence,
  );
});

test("members of an enterprise organization: their limits and spend, and who asks for more", async () => {
  const enterprise = {
    ...house.organizations.enterprise,
    // The scopes of admin keys there give nothing of limits.
    admin_api_key: house.organizations.enterprise.oauth_access_token,
  };
  const { email, cookie } = await addSignedIn(house, enterprise, "user");
  assert.equal(
    await said(enterprise, "spend", "50", "--member", email, "--period", "weekly"),
    `${email}: at most $50.00, weekly\n`,
  );
  const shown = await said(enterprise, "members", "--member", email);
  assert.match(shown, /^MEMBER +PERIOD +LIMIT +SPENT +USED\n/);
  assert.match(shown, new RegExp(`^${email} +weekly +\\$50\\.00 +\\$0\\.00 +0 %$`, "m"));
  const body = { period: "weekly", reason: "A long run" };
  const asked = await house.ask("POST", "/console/api/own_spend/increase", { cookie, body });
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  const listed = await said(enterprise, "requests", "--status", "pending");
  assert.match(
    listed,
    new RegExp(
      `^(slir_\\w+) +${email} +pending +weekly +\\$50\\.00 +\\$0\\.00 .* A long run$`,
      "m",
    ),
  );
  const id = /slir_\w+/.exec(listed)?.[0] ?? "";
  assert.equal(await said(enterprise, "approve", id, "80"), `approved ${id} of ${email}\n`);
  assert.match(await said(enterprise, "members", "--member", email), / weekly +\$80\.00 /);
  const late = await run(enterprise, "deny", id);
  assert.equal(late.code, 1, late.stderr);
});

test("a platform organization is told that its members have no limits of their own", async () => {
  expectRefusal(await run(platform, "members"), /in an enterprise organization only/);
});
