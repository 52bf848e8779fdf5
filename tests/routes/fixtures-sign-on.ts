// Fixtures of the routes of passkeys and single sign-on.
import { makeAuthenticator } from "../rules/authenticator.ts";
import { operator } from "../../server/audit/module.ts";
import { provisionUser } from "../../server/members/module.ts";
import { putStranger } from "../../server/single_sign_on/provider_sign_in/queries.ts";
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

const passkeyIn = async ({ world, console }: Tenant) => {
  const origin = `http://localhost:${new URL(world.publicUrl).port}`;
  const { options } = (await console("POST", "/console/api/passkey_options")) as {
    options: Parameters<ReturnType<typeof makeAuthenticator>["register"]>[0];
  };
  const { answer } = makeAuthenticator(origin).register(options);
  const body = { name: "Laptop", credential: answer };
  return (await console("POST", "/console/api/passkeys", body)) as { id: string };
};

const provider = {
  name: "Provider",
  issuer: "https://login.example",
  client_id: "plinth",
  client_secret: "a secret of the tests",
};
const connected = async ({ console }: Tenant) =>
  void (await console("POST", "/console/api/single_sign_on", provider));

const memberIn = async (tenant: Tenant) => {
  const { world, organizationId } = tenant;
  const email = `member-${world.ids.next("m_")}@fixtures.example`;
  const member = { email, name: "Member", role: "owner" } as const;
  const id = await world.db.tx((tx) => provisionUser(tx, world, operator, organizationId, member));
  return { id, email };
};

const strangerIn = async ({ world, organizationId }: Tenant) => {
  const id = world.ids.next("stranger_");
  await world.db.tx((tx) =>
    putStranger(tx, organizationId, {
      id,
      issuer: provider.issuer,
      subject: id,
      email: null,
      name: null,
      reason: "email_missing",
      seen_at: world.clock.now(),
    }),
  );
  return id;
};

const linkedIn = async (tenant: Tenant) => {
  const { id, email } = await memberIn(tenant);
  const body = { stranger_id: await strangerIn(tenant), email };
  await tenant.console("POST", "/console/api/single_sign_on/links", body);
  return id;
};

export const signOnFixtures: Readonly<Record<string, Fixture>> = {
  "console.passkey_sign_in_options": { body: () => ({}) },
  "console.passkey_sign_in": { elsewhere: "tests/rules/passkeys.test.ts [PKY3]", body: () => ({}) },
  "console.passkeys.create": { elsewhere: "tests/rules/passkeys.test.ts [PKY2]", body: () => ({}) },
  "console.passkeys.update": {
    params: async (tenant) => ({ passkey_id: (await passkeyIn(tenant)).id }),
    body: () => ({ name: "Renamed" }),
  },
  "console.passkeys.delete": {
    params: async (tenant) => ({ passkey_id: (await passkeyIn(tenant)).id }),
  },
  "console.second_step": { body: () => ({ required: false }) },
  "console.proof_options": { elsewhere: "tests/rules/passkeys.test.ts [PKY5]" },
  "pages.single_sign_on": { query: "organization_id=org_x", status: 404 },
  "pages.single_sign_on_callback": {
    shared: true,
    elsewhere: "tests/rules/single-sign-on.test.ts [SSO5]",
    params: async ({ organizationId }) => ({ organization_id: organizationId }),
  },
  "console.single_sign_on.find": {
    elsewhere: "tests/rules/single-sign-on.test.ts [SSO9]",
    body: () => ({}),
  },
  "console.single_sign_on.set": { body: () => provider },
  "console.single_sign_on.delete": {
    elsewhere: "tests/rules/audit-changes.test.ts [AUD1]",
  },
  "console.single_sign_on.test": { elsewhere: "tests/rules/single-sign-on.test.ts [SSO1]" },
  "console.single_sign_on.switch": {
    body: async (tenant) => {
      await connected(tenant);
      return { enabled: false };
    },
  },
  "console.single_sign_on.link": {
    body: async (tenant) => ({
      stranger_id: await strangerIn(tenant),
      email: (await memberIn(tenant)).email,
    }),
  },
  "console.single_sign_on.unlink": {
    params: async (tenant) => ({ user_id: await linkedIn(tenant) }),
  },
  "console.break_glass.set": {
    params: async (tenant) => ({ user_id: (await memberIn(tenant)).id }),
    body: () => ({ break_glass: true }),
  },
  "console.setup_links.create": {
    params: async (tenant) => ({ user_id: (await memberIn(tenant)).id }),
  },
  "console.prove": { body: ({ password }) => ({ current_password: password }), status: 204 },
};
