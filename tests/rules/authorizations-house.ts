// What the tests of authorizations share: a program that asks, and a person in the console who decides.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { Answer, House, Tenant } from "../house.ts";

export const clientId = "plinth-cli";
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const redirectUri = "http://127.0.0.1:49152/callback";

/** In the shape of OAuth, with a sentence. */
export const refused = ({ status, body }: Pick<Answer, "status" | "body">, code: string) => {
  assert.equal(status, 400, JSON.stringify(body));
  assert.equal(body.error, code, JSON.stringify(body));
  assert.ok(body.error_description.length > 10);
};

export interface DeviceCodes {
  device_code: string;
  user_code: string;
  verification_uri_complete: string;
  interval: number;
  expires_in: number;
}

export function programOf(houseOf: () => House) {
  const post = (path: string, body: unknown) => houseOf().ask("POST", path, { body });
  const token = (body: object) => post("/v1/oauth/token", { client_id: clientId, ...body });
  return {
    post,
    token,
    device: async (body: object = {}): Promise<DeviceCodes> => {
      const answer = await post("/v1/oauth/device_authorization", {
        client_id: clientId,
        scope: "org:admin workspace:developer",
        ...body,
      });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body as DeviceCodes;
    },
    poll: (device_code: string, more: object = {}) =>
      token({ grant_type: deviceGrant, device_code, ...more }),
    refresh: (refresh_token: string) => token({ grant_type: "refresh_token", refresh_token }),
    revoke: (given: string) => post("/v1/oauth/revoke", { token: given }),
    userinfo: (key: string): Promise<Answer> =>
      houseOf().ask("GET", "/v1/oauth/userinfo", { headers: { authorization: `Bearer ${key}` } }),
  };
}

export function personOf(houseOf: () => House, { cookie }: Pick<Tenant, "cookie">) {
  const post = (path: string, body: unknown) =>
    houseOf().ask("POST", `/console/api/${path}`, { cookie, body });
  return {
    look: (user_code: string) => post("device", { user_code }),
    approve: (user_code: string) => post("device/approve", { user_code }),
    deny: (user_code: string) => post("device/deny", { user_code }),
    authorize: (act: "" | "/approve" | "/deny", ask: object) => post(`authorize${act}`, ask),
  };
}

/** What a program that opens a browser sends along, and the verifier that it keeps. */
export function codeRequest(more: object = {}) {
  const verifier = randomBytes(32).toString("base64url");
  const ask = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    scope: "org:admin",
    state: "st",
    ...more,
  };
  const redemption = (code: string) => ({
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
  return { ask, redemption };
}

/** A program that knows this server's MCP address, and what it may say when it registers. */
export const nativeClient = {
  client_name: "Notes for me",
  application_type: "native",
  redirect_uris: ["http://127.0.0.1/callback", "com.example.notes:/back"],
  token_endpoint_auth_method: "none",
};

export async function registeredIn(house: House, more: object = {}): Promise<string> {
  const { status, body } = await house.ask("POST", "/v1/oauth/register", {
    body: { ...nativeClient, ...more },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.client_id as string;
}

export const codeIn = (answer: { body: unknown }): string =>
  new URL((answer.body as { redirect_to: string }).redirect_to).searchParams.get("code") ?? "";
