// Rule IDN2: a 403 names what is missing and a way that the route takes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Principal } from "../../kernel/context.ts";
import { routes } from "../../server/app.ts";
import { makeAuthentication } from "../../server/identity/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addSignedIn } from "./members-house.ts";
import { makeKey, sentenceOf } from "./support.ts";

let house: House;
let platform: Tenant;
let enterprise: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform, enterprise } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

type Ask = Parameters<House["ask"]>[2];
const refused = async (method: string, path: string, ask: Ask) =>
  sentenceOf(await house.ask(method, path, ask), 403);

test("[IDN2] a key that may read the audit is told what it lacks, and what the route takes", async () => {
  const { secret: key } = await makeKey(house, enterprise, { scopes: ["read:org_audit"] });
  assert.match(
    await refused("GET", "/console/api/audit", { key }),
    /: this credential is an admin key and cannot be used for it, although it has the permission audit:read; use the console with the role owner or primary_owner\.$/,
  );
  assert.match(
    await refused("POST", "/v1/organizations/invites", { key, body: {} }),
    /: this credential is an admin key without the permission members:write; use an admin key with the scope write:members, or an access token with the scope org:admin, or the console with the role membership_admin or owner or primary_owner\.$/,
  );
  assert.match(
    await refused("POST", "/v1/messages", { key, body: {} }),
    /without the permission messages:use; use an API key of a workspace, or an access token with the scope workspace:developer or workspace:inference, or the console with the role user or owner or primary_owner\.$/,
  );
});

test("[IDN2] a person is told the role that has it, and whom to ask", async () => {
  const user = await addSignedIn(house, platform, "user");
  assert.match(
    await refused("GET", "/console/api/audit", user),
    /console sign-in without the permission audit:read; use the console with the role admin or owner or primary_owner; ask an administrator or owner of the organization for a role that has it\.$/,
  );
  const managed = await addSignedIn(house, enterprise, "managed");
  assert.match(
    await refused("GET", "/console/api/audit", managed),
    /with the role owner or primary_owner, or ask an owner of the organization for a role of your groups that gives it\.$/,
  );
});

const nouns: [RegExp, Principal["kind"]][] = [
  [/an API key of a workspace/, "api_key"],
  [/an admin key/, "admin_key"],
  [/an access token/, "oauth_token"],
  [/a token of SCIM/, "scim_token"],
  [/an environment key/, "environment_key"],
  [/the console/, "console"],
];

test("[IDN2] the way out of every refusal is one that the route takes", async () => {
  const { explain } = makeAuthentication(house.world);
  for (const organizationType of ["platform", "enterprise"] as const)
    for (const { operation, organizations, permission, credentials } of routes) {
      if (permission === null || organizations?.includes(organizationType) === false) continue;
      const who = { kind: "session_token", organizationType, permissions: new Set<string>() };
      const sentence = explain(permission, who as never, credentials);
      const ways = sentence.split("; use ")[1] ?? "";
      const named = nouns.filter(([noun]) => noun.test(ways)).map(([, kind]) => kind);
      assert.ok(named.length > 0, `${operation} of ${organizationType}: ${sentence}`);
      for (const kind of named)
        assert.ok(credentials?.includes(kind) !== false, `${operation}: ${sentence}`);
    }
});
