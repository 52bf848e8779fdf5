// What the routes of authorizations take.
import { codeRequest, clientId, codeIn, nativeClient } from "../rules/authorizations-house.ts";
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

/** A device that waits, and that the owner has looked at. */
const waiting = async ({ world, console }: Tenant) => {
  const response = await fetch(`${world.publicUrl}/v1/oauth/device_authorization`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_id: clientId, scope: "workspace:inference" }),
  });
  const { user_code } = (await response.json()) as { user_code: string };
  await console("POST", "/console/api/device", { user_code });
  return { user_code };
};

const programIn = async ({ world, console }: Tenant) => {
  const { ask, redemption } = codeRequest({ scope: "workspace:inference" });
  const body = await console("POST", "/console/api/authorize/approve", ask);
  await fetch(`${world.publicUrl}/v1/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_id: clientId, ...redemption(codeIn({ body })) }),
  });
  const { data } = (await console("GET", "/console/api/program_sign_ins")) as {
    data: { id: string }[];
  };
  return { program_sign_in_id: data[0]?.id ?? "" };
};

export const authorizationFixtures: Readonly<Record<string, Fixture>> = {
  "oauth.device_authorization": { body: () => ({ client_id: clientId }) },
  "oauth.register": { body: () => nativeClient, status: 201 },
  "oauth.revoke": { body: () => ({ token: "sk-plinth-ort-nothing" }) },
  "oauth.userinfo": { elsewhere: "tests/rules/authorizations.test.ts [AUT10]" },
  "console.program_sign_ins.delete": { params: programIn },
  "console.device.read": { body: waiting },
  "console.device.approve": { body: waiting },
  "console.device.deny": { body: waiting },
  "console.authorize.read": { body: () => codeRequest().ask },
  "console.authorize.approve": { body: () => codeRequest().ask },
  "console.authorize.deny": { body: () => codeRequest().ask },
};
