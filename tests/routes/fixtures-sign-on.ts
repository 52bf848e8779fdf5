// Fixtures of the routes of passkeys and single sign-on.
import { makeAuthenticator } from "../rules/authenticator.ts";
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
  "console.prove": { body: ({ password }) => ({ current_password: password }), status: 204 },
};
