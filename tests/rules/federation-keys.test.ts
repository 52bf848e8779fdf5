// Rules FED1 to FED6: issuers, and where their keys come from.
import assert from "node:assert/strict";
import type { RequestListener, ServerResponse } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { exportJWK } from "jose";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { pollDue } from "../../server/federation/module.ts";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import {
  makeIssuer,
  newKey,
  openFederationSetup,
  localNetwork,
  serveKeys,
  sign,
  slug,
  type SigningKey,
} from "./federation-house.ts";
import { hours, minutes, seconds, sentenceOf } from "./support.ts";
import { refusalOf } from "./tokens-house.ts";

let house: House;
let platform: Tenant;
let clock: ManualClock;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  house = await openHouse({ clock, sections: localNetwork });
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());
/** So that no test suffers for what the one before did, nor for the time that it let pass. */
beforeEach(async () => {
  clock.advance(minutes(2));
  platform.cookie = await house.signIn(platform);
});

const path = "/v1/organizations/federation_issuers";
const ask = (method: string, at: string, body?: unknown) =>
  house.ask(method, at, { cookie: platform.cookie, body });
const refused = (answer: Answer) => refusalOf(answer, 401, "invalid_grant");
const look = async (id: string) => (await ask("GET", `${path}/${id}`)).body;

/** An issuer that publishes a document and keys, which a test may change; or that answers so from the beginning. */
async function openProvider(keys: SigningKey[], answer?: (response: ServerResponse) => void) {
  const state = { keys, document: {} as Record<string, unknown>, answer };
  const listener: RequestListener = (request, response) => {
    if (state.answer !== undefined) return state.answer(response);
    const isDocument = request.url?.endsWith("/.well-known/openid-configuration");
    const set = { keys: state.keys.map(({ jwk }) => jwk) };
    response.end(JSON.stringify(isDocument ? state.document : set));
  };
  const server = await serveKeys(listener);
  state.document = { issuer: server.url, jwks_uri: `${server.url}/keys` };
  const setting = await openFederationSetup(
    house,
    platform,
    { issuer: { issuer_url: server.url, jwks: { type: "discovery" } } },
    keys[0],
  );
  return { ...server, state, setting, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

test("[FED1] keys by discovery, from one address, or inline; replaced whole", async () => {
  const key = await newKey();
  await using provider = await openProvider([key]);
  const { setting } = provider;
  assert.equal((await setting.present()).status, 200);
  assert.deepEqual(provider.asked, ["/.well-known/openid-configuration", "/keys"]);
  const url = `${path}/${setting.issuer.id}`;
  const explicit = { type: "explicit_url", url: `${provider.url}/other` };
  const changed = await ask("POST", url, { jwks: explicit });
  assert.deepEqual(changed.body.jwks, { ...explicit, ca_cert_pem: null });
  assert.equal((await setting.present()).status, 200);
  assert.deepEqual(provider.asked.slice(2), ["/other"]);
  const inline = { type: "inline", keys: [key.jwk] };
  assert.equal((await ask("POST", url, { jwks: inline })).body.poll_status, null);
  assert.equal((await setting.present()).status, 200);
  assert.equal(provider.asked.length, 3);
  await ask("POST", url, { issuer_url: "https://renamed.example" });
  assert.match(refused(await setting.present()), /another issuer/);
  assert.equal((await setting.present({ iss: "https://renamed.example" })).status, 200);
});

test("[FED1] names are slugs, each once among the living", async () => {
  const jwks = { type: "inline", keys: [(await newKey()).jwk] };
  const { name, id } = await makeIssuer(house, platform, { jwks });
  const body = { name, issuer_url: "https://again.example", jwks };
  assert.equal(sentenceOf(await ask("POST", path, body), 409).includes(name), true);
  const other = await makeIssuer(house, platform, { jwks });
  assert.equal((await ask("POST", `${path}/${other.id}`, { name })).status, 409);
  await ask("POST", `${path}/${id}/archive`);
  assert.equal((await ask("POST", path, body)).status, 200);
});

test("[FED2] private addresses, other schemes and bad certificates are refused at once", async () => {
  const create = (issuer_url: string, jwks: object = { type: "discovery" }) =>
    ask("POST", path, { name: slug("refused"), issuer_url, jwks });
  for (const url of [
    "https://10.0.0.1",
    "https://[::1]",
    "https://169.254.169.254",
    "ftp://a.example",
  ])
    assert.match(sentenceOf(await create(url), 400), /^issuer_url: /, url);
  const explicit = (url: string, more = {}) =>
    create("https://issuer.example", { type: "explicit_url", url, ...more });
  assert.match(
    sentenceOf(await explicit("https://192.168.0.1/keys"), 400),
    /^jwks\.url: .*192\.168/,
  );
  const base = { type: "discovery", discovery_base: "https://100.64.0.1" };
  assert.match(sentenceOf(await create("https://issuer.example", base), 400), /discovery_base/);
  const pem = explicit("https://issuer.example/keys", { ca_cert_pem: "nonsense" });
  assert.match(sentenceOf(await pem, 400), /ca_cert_pem/);
  const inline = { type: "inline", keys: [(await newKey()).jwk] };
  assert.equal((await create("https://10.0.0.1", inline)).status, 200, "never asked, never mind");
});

for (const [what, answer] of [
  [
    "redirects",
    (response: ServerResponse) => void response.writeHead(302, { location: "/elsewhere" }).end(),
  ],
  ["is huge", (response: ServerResponse) => void response.end("x".repeat(300 * 1024))],
  ["is no JSON", (response: ServerResponse) => void response.end("<html>")],
  ["is away", (response: ServerResponse) => void response.writeHead(503).end()],
] as const)
  test(`[FED2] an issuer that ${what} gives no keys, and its state says so`, async () => {
    // Once it is known, the job that looks for keys may ask it too.
    await using provider = await openProvider([await newKey()], answer);
    assert.match(refused(await provider.setting.present()), /No key/);
    const { poll_status } = await look(provider.setting.issuer.id);
    const { asked } = provider;
    assert.equal(poll_status.consecutive_failures, asked.length);
    assert.deepEqual(
      [...new Set(asked)],
      ["/.well-known/openid-configuration"],
      "no other address was asked",
    );
    assert.match(poll_status.last_failure as string, new RegExp(provider.url));
  });

test("[FED2] a document of another issuer, too many keys, an address within", async () => {
  const key = await newKey();
  await using provider = await openProvider([key]);
  const { setting, state, url } = provider;
  const failure = async () => {
    clock.advance(minutes(2));
    assert.match(refused(await setting.present()), /No key/);
    return (await look(setting.issuer.id)).poll_status.last_failure as string;
  };
  state.document = { issuer: `${url}/`, jwks_uri: `${url}/keys` };
  assert.match(await failure(), /another issuer/);
  state.document = { issuer: url, jwks_uri: "http://10.0.0.1/keys" };
  assert.match(await failure(), /10\.0\.0\.1/);
  state.document = { issuer: url };
  assert.match(await failure(), /jwks_uri/);
  state.document = { issuer: url, jwks_uri: `${url}/keys` };
  state.keys = Array.from({ length: 101 }, () => key);
  assert.match(await failure(), /more than 100/);
  state.keys = [];
  assert.match(await failure(), /no key/);
  state.keys = [key];
  clock.advance(minutes(2));
  assert.equal((await setting.present()).status, 200);
});

test("[FED3] private and symmetric keys are refused inline", async () => {
  const { privateKey, jwk } = await newKey("RS256");
  const create = (keys: unknown[]) =>
    ask("POST", path, {
      name: slug("inline"),
      issuer_url: "https://inline.example",
      jwks: { type: "inline", keys },
    });
  assert.match(
    sentenceOf(await create([jwk, await exportJWK(privateKey)]), 400),
    /keys\[1\]: holds d/,
  );
  assert.match(
    sentenceOf(await create([{ kty: "oct", k: "c2VjcmV0" }]), 400),
    /keys\[0\]: holds k/,
  );
  assert.match(sentenceOf(await create([{ kty: "EC", crv: "secp256k1" }]), 400), /curve/);
  assert.match(sentenceOf(await create([{}]), 400), /type/);
  assert.match(sentenceOf(await create([]), 400), /keys/);
  assert.equal((await create([jwk])).status, 200);
});

test("[FED4] polling backs off, stops after twelve failures, and begins anew when told", async () => {
  await using provider = await openProvider([await newKey()]);
  const { setting, state, asked } = provider;
  const url = `${path}/${setting.issuer.id}`;
  await pollDue(house.world);
  const begun = asked.length;
  clock.advance(minutes(15) - 1);
  await pollDue(house.world);
  assert.equal(asked.length, begun, "not before its time");
  clock.advance(1);
  state.answer = (response) => void response.writeHead(500).end();
  const pauses: number[] = [];
  for (let failure = 1; failure <= 12; failure++) {
    await pollDue(house.world);
    const { poll_status, jwks_polling_disabled_at } = await look(setting.issuer.id);
    assert.equal(poll_status.consecutive_failures, failure);
    if (poll_status.next_poll_at === null) {
      assert.equal(jwks_polling_disabled_at, clock.now().toISOString());
      break;
    }
    const pause = Date.parse(poll_status.next_poll_at as string) - clock.now().getTime();
    pauses.push(pause / 60_000);
    clock.advance(pause);
    platform.cookie = await house.signIn(platform);
  }
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
  const before = asked.length;
  clock.advance(hours(24));
  await pollDue(house.world);
  assert.equal(asked.length, before);
  platform.cookie = await house.signIn(platform);
  state.answer = undefined;
  assert.match(
    sentenceOf(await ask("POST", url, { jwks_polling_disabled: true }), 400),
    /only false/,
  );
  const { body } = await ask("POST", url, { jwks_polling_disabled: false });
  assert.deepEqual(
    [body.jwks_polling_disabled_at, body.poll_status.consecutive_failures],
    [null, 0],
  );
  await pollDue(house.world);
  assert.equal(
    (await look(setting.issuer.id)).poll_status.last_fetched_at,
    clock.now().toISOString(),
  );
});

test("[FED5] a rotated key is taken at once, whether a token or a poll fetched the one before", async () => {
  const [first, second, third] = [await newKey(), await newKey(), await newKey()];
  await using provider = await openProvider([first]);
  const { setting, state, asked } = provider;
  const present = (key: SigningKey) =>
    sign(key, setting.claims()).then((text) => setting.exchange(text));
  assert.equal((await present(first)).status, 200);
  state.keys = [first, second];
  assert.equal((await present(second)).status, 200);
  state.keys = [third];
  assert.match(refused(await present(third)), /No key/, "the second unknown kid in a row waits");
  clock.advance(minutes(15));
  state.keys = [first];
  await pollDue(house.world);
  const begun = asked.length;
  state.keys = [third];
  assert.equal((await present(third)).status, 200);
  assert.equal(asked.length, begun + 2);
});

test("[FED5] tokens that are out of time, or of another issuer, have nothing fetched", async () => {
  const [key, stranger] = [await newKey(), await newKey()];
  await using provider = await openProvider([key]);
  const { setting, asked } = provider;
  assert.equal((await setting.present()).status, 200);
  for (const claims of [{ iss: "https://another.example" }, { exp: 1 }])
    refused(await setting.exchange(await sign(stranger, { ...setting.claims(), ...claims })));
  assert.equal(asked.length, 2);
});

test("[FED5] a new kid has the keys fetched again, at most once in 30 seconds", async () => {
  const [first, second] = [await newKey(), await newKey()];
  await using provider = await openProvider([first]);
  const { setting, state, asked } = provider;
  assert.equal((await setting.present()).status, 200);
  assert.equal(asked.length, 2);
  const withSecond = () => sign(second, setting.claims()).then((text) => setting.exchange(text));
  for (let tries = 0; tries < 5; tries++) assert.match(refused(await withSecond()), /No key/);
  assert.equal(asked.length, 4, "the first of them asked, the others wait");
  state.keys = [second];
  clock.advance(seconds(30));
  const answers = await Promise.all(Array.from({ length: 5 }, withSecond));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(asked.length, 6, "five at once asked once");
  assert.match(refused(await setting.present()), /No key/, "the old key is gone");
});

test("[FED5] keys that could not be renewed for a day are not used", async () => {
  await using provider = await openProvider([await newKey()]);
  const { setting, state } = provider;
  assert.equal((await setting.present()).status, 200);
  state.answer = (response) => void response.writeHead(500).end();
  clock.advance(hours(24) - 1);
  assert.equal((await setting.present()).status, 200);
  clock.advance(1);
  assert.match(refused(await setting.present()), /No key/);
});

test("[FED6] an issuer is archived once no live rule names it, and takes no change then", async () => {
  const setting = await openFederationSetup(house, platform);
  const url = `${path}/${setting.issuer.id}`;
  assert.match(sentenceOf(await ask("POST", `${url}/archive`), 400), new RegExp(setting.rule.name));
  await ask("POST", `/v1/organizations/federation_rules/${setting.rule.id}/archive`);
  const archived = await ask("POST", `${url}/archive`);
  assert.equal(archived.status, 200);
  assert.deepEqual((await ask("POST", `${url}/archive`)).body, archived.body);
  assert.match(sentenceOf(await ask("POST", url, { check_jti: false }), 400), /archived/);
});
