// Sign-ins of programs, driven by a certified client library that knows nothing of this server but its metadata.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as oauth from "openid-client";
import { openHouse, type House } from "../house.ts";
import { personOf } from "../rules/authorizations-house.ts";

let house: House;
let server: oauth.Configuration;
before(async () => {
  house = await openHouse();
  server = await oauth.discovery(new URL(house.url), "plinth-cli", undefined, oauth.None(), {
    algorithm: "oauth2",
    execute: [oauth.allowInsecureRequests],
  });
});
after(() => house[Symbol.asyncDispose]());

const owner = () => personOf(() => house, house.organizations.platform);
const redirect_uri = "http://127.0.0.1:49152/callback";
const whoIs = (token: string) => oauth.fetchUserInfo(server, token, oauth.skipSubjectCheck);

test("code with PKCE, refreshed, revoked", async () => {
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const address = oauth.buildAuthorizationUrl(server, {
    redirect_uri,
    scope: "org:admin workspace:inference",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
  });
  assert.equal(address.origin + address.pathname, `${house.url}/authorize`);
  const ask = Object.fromEntries(address.searchParams);
  const { body } = await owner().authorize("/approve", ask);
  const back = new URL((body as { redirect_to: string }).redirect_to);
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  const tokens = await oauth.authorizationCodeGrant(server, back, checks);
  assert.equal(tokens.scope, "org:admin workspace:inference");
  assert.equal((await whoIs(tokens.access_token)).email, "owner@platform.example");

  const next = await oauth.refreshTokenGrant(server, tokens.refresh_token ?? "");
  assert.notEqual(next.refresh_token, tokens.refresh_token);
  assert.ok((await whoIs(next.access_token)).sub.startsWith("user_"));
  await oauth.tokenRevocation(server, next.refresh_token ?? "");
  await assert.rejects(whoIs(next.access_token));
  await assert.rejects(
    oauth.refreshTokenGrant(server, next.refresh_token ?? ""),
    (error: oauth.ResponseBodyError) => error.error === "invalid_grant",
  );
});

test("a device code, polled until somebody has decided", async () => {
  const asked = await oauth.initiateDeviceAuthorization(server, { scope: "workspace:inference" });
  await owner().look(asked.user_code);
  await owner().approve(asked.user_code);
  const tokens = await oauth.pollDeviceAuthorizationGrant(server, { ...asked, interval: 0.05 });
  assert.equal(tokens.scope, "workspace:inference");
  assert.ok((tokens.expiresIn() ?? 0) > 3_500);
  assert.equal((await whoIs(tokens.access_token)).name, "owner");
});

test("a device that was refused hears so", async () => {
  const asked = await oauth.initiateDeviceAuthorization(server, { scope: "workspace:inference" });
  await owner().look(asked.user_code);
  await owner().deny(asked.user_code);
  await assert.rejects(
    oauth.pollDeviceAuthorizationGrant(server, { ...asked, interval: 0.05 }),
    (error: oauth.ResponseBodyError) => error.error === "access_denied",
  );
});
