// Rules SCM1 to SCM5: what the identity provider controls, over HTTP, and whose e-mail domain is whose.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import * as identityProvider from "../../server/identity_provider/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { putConnection } from "./single-sign-on-house.ts";
import { eventsOf } from "./support.ts";

let house: House;
const texts = new Map<string, string[]>();
let isSilent = false;
/** The operator's word; the organization is not known before the house stands. */
const verified: Record<string, string> = {};
before(async () => {
  const lookUpTxt = async (name: string) => {
    if (isSilent) throw new Error("no name server answers");
    return texts.get(name) ?? [];
  };
  house = await openHouse({ lookUpTxt, sections: { email_domains: { verified } } });
});
after(() => house[Symbol.asyncDispose]());

const call = ({ cookie }: Tenant, method: string, path: string, body?: unknown) =>
  house.ask(method, `/console/api/${path}`, { cookie, ...(body !== undefined && { body }) });

async function claim(tenant: Tenant, domain: string) {
  const { status, body } = await call(tenant, "POST", "email_domains", { domain });
  assert.equal(status, 200, JSON.stringify(body));
  return body as { id: string; domain: string; status: string } & Record<
    "record_name" | "record_value",
    string
  >;
}

const verify = (tenant: Tenant, id: string) => call(tenant, "POST", `email_domains/${id}/verify`);

async function own(tenant: Tenant, domain: string) {
  const claimed = await claim(tenant, domain);
  texts.set(claimed.record_name, ["something else", claimed.record_value]);
  const { status, body } = await verify(tenant, claimed.id);
  assert.equal(status, 200, JSON.stringify(body));
  return claimed;
}

const captureOf = (email: string) => identityProvider.organizationOfEmail(house.world.db, email);

test("[SCM1] without a provider nothing is controlled; what it controls follows from what the owner says", async () => {
  const { enterprise, other } = house.organizations;
  const control = ({ organization_id: id }: Tenant) =>
    identityProvider.providerControlOf(house.world.db, id);
  const connection = (tenant: Tenant, isOn: boolean) => putConnection(house, tenant, isOn);
  const nothing = {
    provisioning: "none",
    controlsRoles: false,
    controlsRemoval: false,
    controlsGroups: false,
  };
  assert.deepEqual(await control(enterprise), { ...nothing, provider: null });
  const say = (body: object) => call(enterprise, "POST", "identity_provider", body);
  await say({ name: "Okta of ours", provisioning: "jit", controls_roles: true });
  assert.deepEqual(await control(enterprise), { ...nothing, provider: "Okta of ours" });
  await connection(enterprise, true);
  assert.deepEqual(await control(enterprise), {
    ...nothing,
    provisioning: "jit",
    controlsRoles: true,
    provider: "Okta of ours",
  });
  await connection(enterprise, false);
  assert.deepEqual(await control(enterprise), { ...nothing, provider: "Okta of ours" });
  // SCIM has a switch of its own.
  await say({ provisioning: "scim", controls_groups: true });
  assert.deepEqual(await control(enterprise), {
    provisioning: "scim",
    controlsRoles: true,
    controlsRemoval: true,
    controlsGroups: true,
    provider: "Okta of ours",
  });
  await say({ provisioning: "none" });
  assert.deepEqual(await control(enterprise), { ...nothing, provider: "Okta of ours" });
  assert.deepEqual(await control(other), { ...nothing, provider: null });
  const refusal = identityProvider.managedByProvider("Okta of ours", "The role of members");
  assert.equal(refusal.status, 400);
  assert.equal(
    refusal.message,
    "The role of members is managed by the identity provider Okta of ours: change it there.",
  );
});

test("[SCM2] owners say what the provider controls; what makes no sense is refused by name", async () => {
  const { platform } = house.organizations;
  const say = (body: object) => call(platform, "POST", "identity_provider", body);
  for (const [body, field] of [
    [{ provisioning: "scim" }, /^name: is missing/],
    [{ name: "Okta", default_role: "admin" }, /^default_role: must be one of user, /],
    [{ name: "Okta", controls_groups: true }, /^controls_groups: groups are a thing of enterprise/],
    [{ name: "\u202eatkO" }, /^name: holds a character/],
  ] as const) {
    const { status, body: answer } = await say(body);
    assert.equal(status, 400);
    assert.match(answer.error.message, field);
  }
  const { body } = await say({ name: " Okta ", default_role: "developer" });
  assert.equal(body.name, "Okta");
  assert.equal((await call(platform, "GET", "identity_provider")).body.default_role, "developer");
  const [event] = await eventsOf(house, platform, 1);
  assert.equal(event?.action, "identity_provider.updated");
});

test("[SCM3] a claimed domain captures nobody, a verified one whoever signs in with it", async () => {
  const { platform } = house.organizations;
  const { id, ...claimed } = await claim(platform, "Capture.Example.");
  assert.deepEqual([claimed.domain, claimed.status], ["capture.example", "pending"]);
  assert.equal(await captureOf("ada@capture.example"), undefined);
  texts.set(claimed.record_name, [claimed.record_value]);
  assert.equal((await verify(platform, id)).body.verified_by, "dns");
  const { organization_id: organizationId } = platform;
  const captured = { organizationId, domain: "capture.example" };
  assert.deepEqual(await captureOf("Ada+notes@CAPTURE.example"), captured);
  for (const stranger of ["ada@sub.capture.example", "ada@capture.example.org", "capture.example"])
    if (stranger !== "capture.example") assert.equal(await captureOf(stranger), undefined);
  await call(platform, "DELETE", `email_domains/${id}`);
  assert.equal(await captureOf("ada@capture.example"), undefined);
});

test("[SCM3] a domain is one organization's, also when two show that it is theirs", async () => {
  const { platform, other } = house.organizations;
  await own(platform, "twice.example");
  const { id, record_name, record_value } = await claim(other, "twice.example");
  texts.set(record_name, [...(texts.get(record_name) ?? []), record_value]);
  const { status, body } = await verify(other, id);
  assert.equal(status, 409);
  assert.match(body.error.message, /twice\.example belongs to another organization/);
  assert.equal((await captureOf("ada@twice.example"))?.organizationId, platform.organization_id);
});

test("[SCM4] an organization that keeps to its own domains invites nobody else", async () => {
  const { other } = house.organizations;
  await own(other, "own.example");
  await claim(other, "pending.example");
  const refusal = async (email: string) => {
    try {
      await identityProvider.expectInvitable(house.world.db, other.organization_id, email);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof Failure);
      return [error.status, error.options.code];
    }
  };
  assert.equal(await refusal("ada@elsewhere.example"), undefined);
  await call(other, "POST", "identity_provider", { invites_own_domains: true });
  assert.equal(await refusal("ada@OWN.example"), undefined);
  assert.deepEqual(await refusal("ada@elsewhere.example"), [400, "email_domain_not_allowed"]);
  assert.deepEqual(await refusal("ada@pending.example"), [
    400,
    "cannot_invite_emails_with_unverified_domains",
  ]);
});

test("[SCM5] the record must say what the claim says; a silent DNS changes nothing", async () => {
  const { platform } = house.organizations;
  const { id, record_name, record_value } = await claim(platform, "proof.example");
  assert.equal(record_name, "_plinth.proof.example");
  texts.set(record_name, [`${record_value}0`, record_value.slice(0, -1)]);
  const wrong = await verify(platform, id);
  assert.equal(wrong.status, 400);
  assert.ok(wrong.body.error.message.includes(record_value));
  texts.set(record_name, [record_value]);
  isSilent = true;
  const silent = await verify(platform, id);
  isSilent = false;
  house.expectErrors();
  assert.equal(silent.status, 503);
  assert.ok(Number(silent.headers.get("retry-after")) > 0);
  const stored = () => call(platform, "GET", "email_domains").then(({ body }) => body.data);
  const before = (await stored()).find((row: { id: string }) => row.id === id);
  assert.equal(before.status, "pending");
  assert.equal((await verify(platform, id)).body.status, "verified");
  assert.equal((await claim(platform, "PROOF.example")).id, id);
});

test("[SCM5] the operator's word stands for the record, for that organization alone", async () => {
  const { platform, other } = house.organizations;
  verified["word.example"] = other.organization_id;
  const strange = await claim(platform, "word.example");
  assert.equal((await verify(platform, strange.id)).status, 400);
  const theirs = await claim(other, "word.example");
  assert.equal((await verify(other, theirs.id)).body.verified_by, "operator");
});

test("[SCM5] what is no domain is refused, in any script; another organization's claim is absent", async () => {
  const { platform, other } = house.organizations;
  for (const domain of [
    "example",
    "ada@example.com",
    "*.example.com",
    "-a.example",
    "a b.example",
    "1.2.3.4",
    "x".repeat(64) + ".example",
  ]) {
    const { status, body } = await call(platform, "POST", "email_domains", { domain });
    assert.equal(status, 400, domain);
    assert.match(body.error.message, /^domain: /);
  }
  assert.equal((await claim(platform, "bücher.example")).domain, "xn--bcher-kva.example");
  const { id } = await claim(platform, "absent.example");
  assert.equal((await verify(other, id)).status, 404);
  assert.equal((await call(other, "DELETE", `email_domains/${id}`)).status, 404);
});
