// The access matrix against tables of the specification, written down by hand: nothing of them comes from the code.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OrganizationType } from "../../kernel/context.ts";
import type { Route } from "../../kernel/http/route.ts";
import type { CredentialHolder, OrganizationCredentials } from "./every-credential.ts";
import { guarded, type AccessMatrix } from "./access-matrix.ts";

const root = "/v1/organizations/";
const administration = guarded.filter(({ path }) => path.startsWith(root));
const familyOf = ({ path }: Route) => path.slice(root.length).split("/")[0] ?? "";

/** Which organization types have which routes. */
const families: Record<string, readonly OrganizationType[]> = {
  me: ["platform", "enterprise"],
  users: ["platform", "enterprise"],
  invites: ["platform", "enterprise"],
  workspaces: ["platform", "platform_cloud"],
  api_keys: ["platform"],
  analytics: ["platform"],
  usage_report: ["platform"],
  cost_report: ["platform"],
  rate_limits: ["platform"],
  limits: ["platform", "enterprise"],
  alerts: ["platform", "enterprise"],
  alert_rules: ["platform", "enterprise"],
  alert_settings: ["platform", "enterprise"],
  service_accounts: ["platform"],
  federation_issuers: ["platform"],
  federation_rules: ["platform"],
  rbac_groups: ["enterprise"],
  rbac_roles: ["enterprise"],
  webhooks: ["platform", "enterprise"],
  audit_events: ["platform", "enterprise"],
  requests: ["platform", "enterprise"],
  objects: ["platform", "enterprise"],
  overview: ["platform", "enterprise"],
  spend_limits: ["enterprise"],
  spend_limit_increase_requests: ["enterprise"],
};
/** Below /workspaces, and yet of another family. */
const below: readonly { path: RegExp; types: readonly OrganizationType[] }[] = [
  { path: /\/workspaces\/\{\w+\}\/rate_limits/, types: ["platform"] },
  { path: /\/workspaces\/\{\w+\}\/request_bodies/, types: ["platform"] },
  { path: /\/workspaces\/\{\w+\}\/service_accounts/, types: ["platform"] },
];

const typesOf = (route: Route) =>
  below.find(({ path }) => path.test(route.path))?.types ?? families[familyOf(route)];

function organizationTypes(matrix: AccessMatrix): void {
  for (const route of administration) {
    const types = typesOf(route);
    assert.ok(types !== undefined, `${route.path}: add its family to the table of this test`);
    for (const { type, holders } of matrix.scenes)
      for (const holder of holders) {
        const { status, message } = matrix.of(route, holder);
        const said = `${type}, ${holder.words}, ${route.method} ${route.path}: ${message}`;
        assert.equal(status === 404, !types.includes(type), said);
      }
  }
}

/** What each scope grants: GET or the writes of a family. */
const scopes: Record<string, readonly string[]> = {
  "read:members": ["GET users", "GET invites", "GET rbac_roles"],
  "write:members": ["write users", "write invites"],
  "read:rbac_groups": ["GET rbac_groups"],
  "write:rbac_groups": ["write rbac_groups"],
  "read:org_audit": ["GET"],
  "read:analytics": ["GET analytics", "GET usage_report", "GET cost_report", "GET requests"],
};

/** What was said in requests. */
const ofNoScope = /\/requests\/\{\w+\}\/body$/;

function scopesOfKeys(matrix: AccessMatrix): void {
  const players = sceneOf(matrix, "enterprise").holders.filter(({ scope }) => scope !== undefined);
  assert.deepEqual(new Set(players.map(({ scope }) => scope)), new Set(Object.keys(scopes)));
  for (const holder of players)
    for (const route of guarded) {
      const { status, message } = matrix.of(route, holder);
      if (status === 404) continue;
      const family = route.path.startsWith(root) ? familyOf(route) : "none";
      const kind = route.method === "GET" ? "GET" : "write";
      const granted = scopes[holder.scope ?? ""] ?? [];
      // A key may always ask for its own holder, what it is, look for what it may read, and look over it.
      const isGranted =
        !ofNoScope.test(route.path) &&
        (["me", "objects", "overview"].includes(family) ||
          route.operation === "credential.retrieve" ||
          granted.includes(`${kind} ${family}`) ||
          (family !== "none" && granted.includes(kind)));
      const said = `${holder.scope}, ${route.method} ${route.path}: ${message}`;
      assert.equal(status === 400, isGranted, said);
    }
}

type Act = readonly [method: string, path: string];
/** Acts of administration, and the routes that stand for them in some organization type. */
const acts: Record<string, readonly Act[]> = {
  "see members": [["GET", `${root}users`]],
  "change members": [["POST", `${root}users/{user_id}`]],
  "remove members": [["DELETE", `${root}users/{user_id}`]],
  "see workspaces": [["GET", `${root}workspaces`]],
  "make workspaces": [["POST", `${root}workspaces`]],
  "see keys": [["GET", `${root}api_keys`]],
  "change keys": [["POST", `${root}api_keys/{api_key_id}`]],
  "see groups": [["GET", `${root}rbac_groups`]],
  "change groups": [["POST", `${root}rbac_groups`]],
  "see roles": [["GET", `${root}rbac_roles`]],
  "make roles": [["POST", "/console/api/rbac_roles"]],
  "give roles": [["POST", "/console/api/rbac_groups/{rbac_group_id}/roles"]],
  "see usage": [["GET", `${root}analytics/usage`]],
  "see limits": [
    ["GET", "/console/api/spend_limits"],
    ["GET", "/console/api/alerts"],
    ["GET", "/console/api/alert_rules"],
  ],
  "change limits": [
    ["POST", "/console/api/spend_limits"],
    ["POST", "/console/api/alert_rules/{kind}"],
    ["POST", "/console/api/alert_settings"],
  ],
  "see webhooks": [["GET", `${root}webhooks`]],
  "change webhooks": [["POST", `${root}webhooks`]],
  "read the audit log": [["GET", "/console/api/audit"]],
  "read what was said": [["GET", `${root}requests/{request_id}/body`]],
  "change sign-on": [["POST", "/console/api/single_sign_on"]],
  prompt: [
    ["POST", "/v1/messages"],
    ["POST", "/v1/messages/batches"],
    ["POST", "/v1/files"],
    ["POST", "/v1/memory_stores"],
    ["POST", "/v1/agents"],
    ["POST", "/v1/environments"],
    ["POST", "/v1/deployments"],
    ["POST", "/v1/vaults"],
    ["POST", "/v1/skills"],
  ],
};

const everything = Object.keys(acts);
const ofOwners = ["make roles", "give roles", "change sign-on"];
const ofAdmins = everything.filter((act) => !ofOwners.includes(act));
const developer = [
  "prompt",
  "see keys",
  "change keys",
  "see workspaces",
  "see usage",
  "see limits",
];
const may: Record<string, readonly string[]> = {
  user: ["prompt"],
  claude_code_user: ["prompt"],
  developer,
  billing: ["prompt", "see usage", "see limits"],
  membership_admin: [
    "see members",
    "change members",
    "remove members",
    "see groups",
    "change groups",
    "see roles",
  ],
  admin: ofAdmins,
  owner: everything,
  primary_owner: everything,
};

function rolesOfPeople(matrix: AccessMatrix): void {
  for (const { type, holders } of matrix.scenes)
    for (const holder of holders.filter(({ role }) => role !== undefined))
      for (const [act, ways] of Object.entries(acts))
        for (const [method, path] of ways) {
          const { status, message } = matrix.of(routeOf(method, path), holder);
          if (status === 404) continue;
          const allowed = may[holder.role ?? ""]?.includes(act) === true;
          assert.equal(status === 400, allowed, `${type}, ${holder.words}, ${act}: ${message}`);
        }
}

function managedMembers(matrix: AccessMatrix): void {
  const { holders } = sceneOf(matrix, "enterprise");
  const mays = (words: string) =>
    guarded.filter(
      ({ permission, ...route }) =>
        permission !== "console:use" &&
        matrix.of(routeOf(route.method, route.path), playerOf(holders, words)).status === 400,
    );
  assert.deepEqual(
    mays("managed, in no group").map(({ path }) => path),
    [],
  );
  const everyday = mays("managed, role Everyday use").map(({ path }) => path);
  assert.ok(everyday.includes("/v1/messages") && everyday.includes("/v1/files"));
  assert.ok(
    everyday.every((path) => !path.startsWith(root) && !path.includes("memory")),
    everyday.join(),
  );
  const all = mays("managed, role All capabilities").map(({ path }) => path);
  assert.ok(all.includes("/v1/memory_stores"));
  assert.ok(all.every((path) => !path.startsWith(root)));
  const auditor = mays("managed, role Auditor");
  assert.ok(auditor.length > 5);
  assert.ok(auditor.every(({ method }) => method === "GET"));
  const every = mays("managed, every permission_* action").map(({ path }) => path);
  assert.ok(every.every((path) => !/^\/v1\/(messages|files|memory|models)/.test(path)));
}

function programs(matrix: AccessMatrix): void {
  for (const { type, holders } of matrix.scenes) {
    const api = playerOf(holders, "API key of the default workspace");
    const kinds = {
      "API keys": [api],
      "admin keys": holders.filter(({ words }) => words.startsWith("admin key")),
      "org:admin": holders.filter(({ words }) => words.endsWith("org:admin")),
    };
    for (const route of guarded) {
      const said = `${type}, ${route.method} ${route.path}`;
      const passes = (kind: keyof typeof kinds) =>
        kinds[kind].some((holder) => matrix.of(route, holder).status === 400);
      if (route.path.startsWith(root)) assert.ok(!passes("API keys"), `${said}: an API key`);
      if (route.path.startsWith("/console/"))
        for (const kind of Object.keys(kinds) as (keyof typeof kinds)[])
          assert.ok(!passes(kind), `${said}: ${kind} in the console`);
      if (/^\/v1\/(messages|files|memory_stores)/.test(route.path))
        assert.ok(!passes("admin keys") && !passes("org:admin"), `${said}: administration`);
      if (/service_accounts|federation/.test(route.path))
        assert.ok(!passes("admin keys"), `${said}: an admin key`);
    }
  }
}

const sceneOf = (matrix: AccessMatrix, wanted: OrganizationType): OrganizationCredentials =>
  matrix.scenes.find(({ type }) => type === wanted) ?? assert.fail(`no scene of ${wanted}`);

const playerOf = (players: readonly CredentialHolder[], wanted: string): CredentialHolder =>
  players.find(({ words }) => words === wanted) ?? assert.fail(`nobody is ${wanted}`);

const routeOf = (method: string, path: string): Route =>
  guarded.find((route) => route.method === method && route.path === path) ??
  assert.fail(`${method} ${path} is no route: mend the table of this test`);

/** Once every credential has called every route. */
export function holdAgainstTheSpecification(matrixOf: () => AccessMatrix): void {
  const table: Record<string, (matrix: AccessMatrix) => void> = {
    "each organization type has the routes that the specification gives it": organizationTypes,
    "each scope of an enterprise admin key grants what the specification says, and no other route":
      scopesOfKeys,
    "people may what their role says": rolesOfPeople,
    "a managed member may nothing in no group, and with a role what that says": managedMembers,
    "credentials of programs stay on their side": programs,
  };
  for (const [what, hold] of Object.entries(table)) test(what, () => hold(matrixOf()));
}
