// What the tests of SCIM share: organizations whose provider pushes, and its requests.
import assert from "node:assert/strict";
import { initialize } from "../../server/organization-setup.ts";
import type { Answer, House, Tenant } from "../house.ts";

export interface Provider {
  tenant: Tenant;
  token: string;
  tokenId: string;
  /** A request of the provider: the path stands behind the base address. */
  scim(
    method: string,
    path: string,
    body?: unknown,
    more?: Record<string, string>,
  ): Promise<Answer>;
  /** A user that it has provisioned. */
  user(name: string, more?: Record<string, unknown>): Promise<{ id: string; email: string }>;
  group(name: string, memberIds?: readonly string[]): Promise<string>;
  console(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Whether somebody of this e-mail is a member, as the console's owner sees it. */
  isMember(email: string): Promise<boolean>;
}

export const patchOf = (...operations: unknown[]) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  Operations: operations,
});

export const controlled = {
  name: "Entra of the house",
  provisioning: "scim",
  controls_roles: true,
  controls_groups: true,
};

let made = 0;

/** A new organization, with a token, and SCIM switched on unless the settings say otherwise. */
export async function providerOf(
  house: House,
  type: Tenant["organization_type"] = "enterprise",
  settings: Record<string, unknown> = controlled,
): Promise<Provider> {
  const name = `provider-${++made}`;
  const email = `owner@${name}.example`;
  const created = await initialize(house.world, { organization: name, type, email });
  const tenant = { ...created, cookie: await house.signIn(created) };
  return openProvider(house, tenant, settings);
}

export async function openProvider(
  house: House,
  tenant: Tenant,
  settings: Record<string, unknown> = controlled,
): Promise<Provider> {
  const { cookie, organization_type: type } = tenant;
  const console = (method: string, path: string, body?: unknown) =>
    house.ask(method, `/console/api/${path}`, { cookie, ...(body !== undefined && { body }) });
  const told = await console("POST", "identity_provider", {
    ...settings,
    ...(type !== "enterprise" && { controls_groups: false }),
  });
  assert.equal(told.status, 200, JSON.stringify(told.body));
  const { status, body } = await console("POST", "scim/tokens", { name: "first" });
  assert.equal(status, 200, JSON.stringify(body));
  const { secret: token, id: tokenId } = body as { secret: string; id: string };
  const scim: Provider["scim"] = (method, path, content, more = {}) =>
    house.ask(method, `/scim/v2${path}`, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(content !== undefined && { "content-type": "application/scim+json" }),
        ...more,
      },
      ...(content !== undefined && { body: content }),
    });
  return {
    tenant,
    token,
    tokenId,
    scim,
    console,
    user: async (name, more = {}) => {
      const email = `${name}@people.example`;
      const answer = await scim("POST", "/Users", { userName: email, active: true, ...more });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return { id: answer.body.id as string, email };
    },
    group: async (displayName, memberIds = []) => {
      const members = memberIds.map((value) => ({ value }));
      const answer = await scim("POST", "/Groups", { displayName, members });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.id as string;
    },
    isMember: async (email) => {
      const rows = await house.world.db.query({
        text: "select id from users where organization_id = $1 and email_key = lower($2)",
        values: [tenant.organization_id, email],
      });
      return rows.length === 1;
    },
  };
}

/** Of a group of the house, not of what the provider has said. */
export async function isInGroup(house: House, groupId: string, userId: string): Promise<boolean> {
  const rows = await house.world.db.query({
    text: "select 1 from rbac_group_members where group_id = $1 and user_id = $2",
    values: [groupId, userId],
  });
  return rows.length === 1;
}

/** An error in SCIM's own shape; its sentence. */
export function refused(
  { status, headers, body }: Answer,
  wanted: number,
  scimType?: string,
): string {
  assert.equal(status, wanted, JSON.stringify(body));
  assert.equal(headers.get("content-type"), "application/scim+json");
  assert.deepEqual(body.schemas, ["urn:ietf:params:scim:api:messages:2.0:Error"]);
  assert.equal(body.status, String(wanted));
  assert.equal(body.scimType, scimType);
  assert.match(body.detail, /^\S.*[.?]$/s);
  return body.detail as string;
}

/** The row of a user of the house; undefined for who is none. */
export async function memberRow(house: House, id: string) {
  const [row] = await house.world.db.query<{ email: string; name: string; role: string }>({
    text: "select email, name, role from users where id = $1",
    values: [id],
  });
  return row;
}
