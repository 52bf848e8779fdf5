// Rules FED14 to FED17 and FED21: tokens that are not what they say.
import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign as signBytes } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import { exportJWK, exportSPKI, importJWK } from "jose";
import type { CryptoKey } from "jose";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import { minutes } from "./support.ts";
import { refusalOf } from "./tokens-house.ts";
import {
  newKey,
  openFederationSetup,
  localNetwork,
  serveKeys,
  sign,
  type FederationSetup,
} from "./federation-house.ts";

let house: House;
let platform: Tenant;
let setting: FederationSetup;
let clock: ManualClock;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  house = await openHouse({ clock, sections: localNetwork });
  ({ platform } = house.organizations);
  setting = await openFederationSetup(house, platform);
});
after(() => house[Symbol.asyncDispose]());
/** So that no test suffers for the refusals of the one before. */
beforeEach(() => clock.advance(minutes(2)));

const seconds = () => Math.floor(clock.now().getTime() / 1000);
const refused = (answer: Answer) => refusalOf(answer, 401, "invalid_grant");
const part = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
/** Signed over whatever bytes, as an issuer might that writes JSON of its own. */
async function signText(header: unknown, claims: unknown): Promise<string> {
  const text = `${part(header)}.${part(claims)}`;
  const key = setting.key.privateKey;
  const signature = await crypto.subtle.sign(
    { name: "ECDSA", hash: "SHA-256" },
    key,
    Buffer.from(text),
  );
  return `${text}.${Buffer.from(signature).toString("base64url")}`;
}
const header = () => ({ alg: "ES256", kid: setting.key.kid });

test("[FED14] a good token is taken, so that what follows says something", async () => {
  const { status, body } = await setting.present();
  assert.equal(status, 200, JSON.stringify(body));
  assert.match(body.access_token as string, /^sk-plinth-oat-/);
  assert.equal((await setting.exchange(await signText(header(), setting.claims()))).status, 200);
});

test("[FED14] what is nested deep is refused before anything walks it", async () => {
  for (const levels of [4_500, 129]) {
    const deep = `{"alg":"ES256","a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    for (const forged of [`${part(header())}.${part(deep)}.AA`, `${part(deep)}.${part("{}")}.AA`])
      assert.match(refused(await setting.exchange(forged)), /nested deeper than 128 levels/);
    assert.match(refused(await setting.exchange(await signText(header(), deep))), /nested deeper/);
  }
});

test("[FED14] alg none", async () => {
  for (const alg of ["none", "None", "NONE", "", undefined, null, 7, ["ES256"], "toString"]) {
    const text = `${part({ ...header(), alg })}.${part(setting.claims())}`;
    for (const forged of [`${text}.`, `${text}.AA`, text])
      assert.match(refused(await setting.exchange(forged)), /algorithm|signed JWT/, String(alg));
  }
});

test("[FED14] HS256 with the public key as the secret", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = { ...(await exportJWK(publicKey)), kid: "rsa" };
  const own = await openFederationSetup(house, platform, {
    issuer: { jwks: { type: "inline", keys: [jwk] } },
  });
  const pem = await exportSPKI((await importJWK(jwk, "RS256")) as CryptoKey);
  for (const secret of [
    pem,
    JSON.stringify(jwk),
    String(jwk.n),
    Buffer.from(String(jwk.n), "base64url"),
  ]) {
    const text = `${part({ alg: "HS256", kid: "rsa" })}.${part(own.claims())}`;
    const signature = createHmac("sha256", secret).update(text).digest("base64url");
    assert.match(refused(await own.exchange(`${text}.${signature}`)), /algorithm/);
  }
  const text = `${part({ alg: "RS256", kid: "rsa" })}.${part(own.claims())}`;
  const signature = signBytes("sha256", Buffer.from(text), privateKey).toString("base64url");
  assert.equal((await own.exchange(`${text}.${signature}`)).status, 200, "the right way works");
});

test("[FED14] another issuer's key, a changed text, another algorithm for the key", async () => {
  const stranger = await newKey("ES256", setting.key.kid);
  assert.match(
    refused(await setting.exchange(await sign(stranger, setting.claims()))),
    /not signed/,
  );
  const [head, , signature] = (await sign(setting.key, setting.claims())).split(".");
  const other = part(setting.claims({ sub: "workload:two" }));
  assert.match(refused(await setting.exchange(`${head}.${other}.${signature}`)), /not signed/);
  for (const alg of ["RS256", "PS256", "ES384", "EdDSA"]) {
    const forged = await signText({ ...header(), alg }, setting.claims());
    assert.match(refused(await setting.exchange(forged)), /No key/, alg);
  }
});

test("[FED14] a key of RSA 1024 is none, in the set or inline", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const small = {
    ...(publicKey.export({ format: "jwk" }) as Record<string, unknown>),
    kid: "small",
  };
  const { cookie } = platform;
  const jwks = { type: "inline", keys: [small] };
  const body = { name: "small", issuer_url: "https://small.example", jwks };
  const inline = await house.ask("POST", "/v1/organizations/federation_issuers", { cookie, body });
  assert.match(inline.body.error.message as string, /^jwks\.keys\[0\]: .*2048/);
  await using server = await serveKeys((_, response) => {
    response.end(JSON.stringify({ keys: [small, setting.key.jwk] }));
  });
  const own = await openFederationSetup(house, platform, {
    issuer: { jwks: { type: "explicit_url", url: `${server.url}/keys` } },
  });
  const text = `${part({ alg: "RS256", kid: "small" })}.${part(own.claims())}`;
  const signature = signBytes("sha256", Buffer.from(text), privateKey).toString("base64url");
  assert.match(refused(await own.exchange(`${text}.${signature}`)), /No key/);
});

test("[FED14] what a token says of its own keys is nothing to anybody", async () => {
  const evil = await newKey("ES256", "evil");
  await using server = await serveKeys((_, response) => {
    response.end(JSON.stringify({ keys: [evil.jwk] }));
  });
  for (const more of [
    { jwk: evil.jwk },
    { jku: `${server.url}/keys` },
    { x5u: `${server.url}/certificate` },
    { x5c: ["MIIB"] },
  ]) {
    const forged = await sign(evil, setting.claims(), { kid: "evil", ...more });
    assert.match(refused(await setting.exchange(forged)), /No key/, JSON.stringify(more));
    const named = await sign(evil, setting.claims(), { kid: setting.key.kid, ...more });
    assert.match(refused(await setting.exchange(named)), /not signed/, JSON.stringify(more));
  }
  assert.deepEqual(server.asked, [], "an address out of a token was asked");
});

test("[FED14] critical headers are understood by nobody here", async () => {
  for (const more of [{ crit: ["exp"], exp: 1 }, { crit: ["b64"], b64: true }, { crit: [] }]) {
    const forged = await signText({ ...header(), ...more }, setting.claims());
    assert.match(refused(await setting.exchange(forged)), /critical/, JSON.stringify(more));
  }
});

test("[FED14] a kid is a name and nothing else", async () => {
  for (const kid of [
    "../../../../dev/null",
    "/proc/self/environ",
    "' or 1 = 1; --",
    "https://issuer.example/keys",
    "__proto__",
    "constructor",
    "k".repeat(500),
  ])
    assert.match(refused(await setting.present({}, { kid })), /No key/, kid);
  for (const kid of ["k".repeat(501), 7, null, {}, ["a"]]) {
    const forged = await signText({ alg: "ES256", kid }, setting.claims());
    assert.match(refused(await setting.exchange(forged)), /kid/, JSON.stringify(kid));
  }
  const other = await openFederationSetup(house, platform);
  const foreign = await sign(other.key, setting.claims());
  assert.match(refused(await setting.exchange(foreign)), /No key/, "a kid of another issuer");
  const bare = await signText({ alg: "ES256" }, setting.claims());
  assert.equal(
    (await setting.exchange(bare)).status,
    200,
    "without one, the issuer's keys are tried",
  );
});

test("[FED15] iss is compared to the letter", async () => {
  for (const iss of [
    "https://issuer.example/",
    "https://ISSUER.example",
    "http://issuer.example",
    "https://issuer.example.evil.example",
    ["https://issuer.example"],
    undefined,
  ])
    assert.match(refused(await setting.present({ iss })), /another issuer/, String(iss));
});

test("[FED15] expired, not valid yet, without times, or for too long", async () => {
  const now = seconds();
  const times: [object, RegExp | undefined][] = [
    [{ iat: now - 600, exp: now - 60 }, /expired/],
    [{ iat: now - 600, exp: now - 59 }, undefined],
    [{ iat: now + 61, exp: now + 600 }, /not valid yet/],
    [{ iat: now + 60, exp: now + 600 }, undefined],
    [{ nbf: now + 61 }, /not valid yet/],
    [{ nbf: now + 60 }, undefined],
    [{ nbf: "soon" }, /nbf/],
    [{ iat: undefined }, /no iat/],
    [{ exp: undefined }, /no iat or no exp/],
    [{ iat: String(now) }, /no iat/],
    [{ exp: 1e300 }, /no exp/],
    [{ iat: now - 3000, exp: now + 600 }, undefined],
    [{ iat: now - 3000, exp: now + 601 }, /longer/],
    [{ iat: now + 10, exp: now + 10 }, /no time at all/],
    [{ iat: now + 20, exp: now + 10 }, /no time at all/],
  ];
  for (const [more, sentence] of times) {
    const answer = await setting.present(more as Record<string, unknown>);
    if (sentence === undefined) assert.equal(answer.status, 200, JSON.stringify(more));
    else assert.match(refused(answer), sentence, JSON.stringify(more));
  }
});

test("[FED16] aud is this server, or what the rule says; of several one is enough", async () => {
  const own = house.world.publicUrl;
  for (const aud of [own, [own], ["https://other.example", own]])
    assert.equal((await setting.present({ aud })).status, 200, String(aud));
  for (const aud of [`${own}/`, "https://api.example", [], [[own]], "", undefined, { a: own }])
    assert.match(refused(await setting.present({ aud })), /audience/, JSON.stringify(aud));
  const match = { subject_prefix: "workload:one", audience: "plinth" };
  const other = await openFederationSetup(house, platform, { rule: { match } });
  assert.match(refused(await other.present()), /audience/, "another one replaces the default");
  assert.equal((await other.present({ aud: ["plinth"] })).status, 200);
});

test("[FED21] a claim that stands there twice, a NUL, half a character, no object", async () => {
  const good = JSON.stringify(setting.claims());
  const twice = [
    good.replace("{", '{"sub":"workload:two",'),
    good.replace("{", '{"s\\u0075b":"workload:two",'),
    good.replace("{", '{"deep":{"a":1,"b":[{}],"a":2},'),
  ];
  for (const claims of twice)
    assert.match(
      refused(await setting.exchange(await signText(header(), claims))),
      /twice/,
      claims,
    );
  const headTwice = `{"alg":"none",${JSON.stringify(header()).slice(1)}`;
  assert.match(
    refused(await setting.exchange(await signText(headTwice, setting.claims()))),
    /twice/,
  );
  for (const sub of ["workload:\\u0000", "workload:\\ud800"]) {
    const claims = good.replace("workload:one", sub);
    assert.match(
      refused(await setting.exchange(await signText(header(), claims))),
      /character/,
      sub,
    );
  }
  for (const claims of ["[]", "7", "null", '"x"', "{", "", `${good}x`])
    assert.match(
      refused(await setting.exchange(await signText(header(), claims))),
      /assertion/,
      claims,
    );
  const names = good.replace(
    "{",
    '{"a":{"x":1},"b":{"x":1},"c":"\\"sub\\":","d":[{"x":1},{"x":2}],',
  );
  assert.equal((await setting.exchange(await signText(header(), names))).status, 200);
});

test("[FED21] texts that are no token", async () => {
  for (const text of [
    "a",
    "a.b",
    "a.b.c.d",
    "..",
    "a.b.c=",
    "ä.b.c",
    " ",
    "{}",
    "x".repeat(16_384),
  ])
    assert.match(refused(await setting.exchange(text)), /assertion/, text.slice(0, 20));
  const long = await setting.exchange("x".repeat(16_385));
  assert.match(refusalOf(long, 400, "invalid_request"), /^assertion: .*16384/);
});

test("[FED21] a refusal does not say what the rule compares with; the console does", async () => {
  const match = { subject_prefix: "workload:secret-name", claims: { team: "secret-team" } };
  const own = await openFederationSetup(house, platform, { rule: { match } });
  const sentence = refused(await own.present());
  assert.doesNotMatch(sentence, /secret/);
  const { body } = await house.ask("GET", `/console/api/federation_rules/${own.rule.id}/refusals`, {
    cookie: platform.cookie,
  });
  const [first] = body.data as { reason: string; sentence: string; subject: string }[];
  assert.deepEqual([first?.reason, first?.subject], ["sub", "workload:one"]);
  assert.match(first?.sentence ?? "", /secret-name/);
  // Of a token with a bad signature the subject is anybody's word.
  refused(await own.exchange(await sign(await newKey("ES256", own.key.kid), own.claims())));
  const again = await house.ask("GET", `/console/api/federation_rules/${own.rule.id}/refusals`, {
    cookie: platform.cookie,
  });
  assert.equal(again.body.data[0].subject, null);
});
