// Rules ORG5 to ORG8, over HTTP and on two processes: what counts, what does not, and what a refusal says.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import { auditTenant } from "./audit-house.ts";
import { sentenceOf } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse({ sections: { administration: {} } });
});
after(() => house[Symbol.asyncDispose]());

const tenant = (name: string) => auditTenant(house, name);
const me = "/v1/organizations/me";
const askMe = ({ admin_api_key: key }: Tenant) => house.ask("GET", me, { key });
const times = <T>(count: number, act: () => Promise<T>) =>
  Promise.all(Array.from({ length: count }, act));
const countOf = (answers: Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

test("[ORG5] a hundred pass at once, over two processes, and the next is refused on both", async () => {
  const somebody = await tenant("a burst");
  await using other = await house.openSecondServer();
  const there = () =>
    fetch(other.url + me, { headers: { "x-api-key": somebody.admin_api_key } }).then(
      async (response) => (await response.text(), response.status),
    );
  const [here, beyond] = await Promise.all([times(60, () => askMe(somebody)), times(60, there)]);
  const passed = countOf(here, 200) + beyond.filter((status) => status === 200).length;
  assert.equal(passed, 100);
  assert.equal(countOf(here, 429) + beyond.filter((status) => status === 429).length, 20);
  assert.equal((await askMe(somebody)).status, 429);
  assert.equal(await there(), 429);
});

test("[ORG7] a refusal says what was used up, what to do and when", async () => {
  const somebody = await tenant("a refusal");
  await times(100, () => askMe(somebody));
  const answer = await askMe(somebody);
  assert.equal(answer.body.error.type, "rate_limit_error");
  assert.match(sentenceOf(answer, 429), /100 administration requests a minute.*retry-after/);
  const seconds = Number(answer.headers.get("retry-after"));
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, String(seconds));
});

test("[ORG5] 400, 403 and 404 count; 401, unknown paths and the console do not", async () => {
  const somebody = await tenant("what counts");
  const { admin_api_key: key, api_key, cookie } = somebody;
  const keys = "/v1/organizations/api_keys";
  const uncounted = [
    ...(await times(110, () => house.ask("GET", me, { key: "sk-plinth-nobody" }))),
    ...(await times(110, () => house.ask("GET", "/v1/organizations/nothing", { key }))),
    ...(await times(110, () => house.ask("GET", me, { cookie }))),
  ];
  assert.equal(countOf(uncounted, 429), 0);
  const counted = [
    ...(await times(25, () => house.ask("GET", `${keys}?limit=x`, { key }))),
    ...(await times(25, () => house.ask("GET", "/v1/organizations/service_accounts", { key }))),
    ...(await times(25, () => house.ask("GET", `${keys}/apikey_none`, { key }))),
    ...(await times(25, () => house.ask("POST", `${keys}/apikey_none`, { key, body: {} }))),
  ];
  assert.deepEqual(new Set(counted.map(({ status }) => status)), new Set([400, 403, 404]));
  assert.equal((await askMe(somebody)).status, 429);
  assert.equal((await house.ask("GET", "/v1/models", { key: api_key })).status, 200);
  assert.equal((await house.ask("GET", me, { cookie })).status, 200);
});

test("[ORG10] keys that may administer nothing have a small budget of their own", async () => {
  const somebody = await tenant("what is refused anyway");
  const { api_key: key } = somebody;
  const asked = await times(110, () => house.ask("GET", "/v1/organizations/api_keys", { key }));
  assert.deepEqual([countOf(asked, 403), countOf(asked, 429)], [20, 90]);
  const refused = asked.find(({ status }) => status === 429) ?? assert.fail("none was refused");
  assert.match(
    sentenceOf(refused, 429),
    /20 requests a minute of keys that may administer nothing/,
  );
  assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  // The administrator has all of the hundred.
  const administered = await times(101, () => askMe(somebody));
  assert.deepEqual([countOf(administered, 200), countOf(administered, 429)], [100, 1]);
});

test("[ORG5] a route that the organization's type lacks counts, too", async () => {
  const { cloud } = house.organizations;
  const answers = await times(101, () => askMe(cloud));
  assert.deepEqual([countOf(answers, 404), countOf(answers, 429)], [100, 1]);
});

test("[ORG8] another organization is not touched", async () => {
  const [one, two] = [await tenant("one that asks"), await tenant("its neighbour")];
  await times(101, () => askMe(one));
  assert.equal((await askMe(one)).status, 429);
  assert.equal((await askMe(two)).status, 200);
});

test("[ORG5] an operator may set another number", async () => {
  await using small = await openHouse({ sections: { administration: { requests_per_minute: 3 } } });
  const { admin_api_key: key } = small.organizations.platform;
  const answers = await times(5, () => small.ask("GET", me, { key }));
  assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [3, 2]);
});
