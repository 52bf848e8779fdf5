// Rules FBK21 to FBK30: what comes back on the next turn, and where a conversation goes on.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  checkEcho,
  cleanHistory,
  echoFailure,
  kinds,
  stickyPrefixesOf,
  schedules,
  skeletonOf,
  stickyHop,
  stickyLookup,
  stickyStatement,
  usesSticky,
} from "../../server/fallbacks/module.ts";
import type { Block, MessageBody } from "../../server/models/module.ts";
import { openHouse, type House } from "../house.ts";
import {
  assistant,
  boundary,
  now07,
  plan,
  request,
  text,
  thinking,
  user,
} from "./fallbacks-models.ts";
import { hours, minutes } from "./support.ts";

const fallback = boundary();
const call = (id: string, type = "tool_use") => ({ type, id, name: "look", input: {} });
const result = (id: string, type = "tool_result") => ({ type, tool_use_id: id, content: "Seen." });

test("[FBK21] no boundary goes upstream; without one nothing is touched", () => {
  const plainHistory = [user("A"), assistant([thinking("s"), call("t1")]), user([result("t1")])];
  assert.equal(cleanHistory(plainHistory), plainHistory);
  const cleaned = cleanHistory([user("A"), assistant([fallback, text("B")]), user("C")]);
  assert.deepEqual(cleaned, [user("A"), assistant([text("B")]), user("C")]);
});

test("[FBK22] before the final fallback: thinking, calls and their results are dropped", () => {
  const messages = [
    user("A"),
    assistant([
      thinking("one"),
      { type: "redacted_thinking", data: "x" },
      { type: "connector_text", text: "y" },
      text("B"),
      call("t1"),
      fallback,
      thinking("two"),
      call("t2"),
      call("s1", "server_tool_use"),
      boundary("medium", "small"),
      thinking("three"),
      call("t3"),
    ]),
    user([result("t1"), result("t2"), result("t3")]),
  ];
  const before = structuredClone(messages);
  assert.deepEqual(cleanHistory(messages), [
    user("A"),
    assistant([text("B"), thinking("three"), call("t3")]),
    user([result("t3")]),
  ]);
  assert.deepEqual(messages, before);
  // Turns that this empties are gone, also where an answer was paused and went on in a second turn.
  const emptied = [user("A"), assistant([call("t1")]), assistant([fallback, text("B")])];
  const turns = [...emptied, user([result("t1")]), user("C")];
  assert.deepEqual(cleanHistory(turns), [user("A"), assistant([text("B")]), user("C")]);
});

test("[FBK23] after it everything is kept, and text and paired server tools before it", () => {
  const kept = [
    text("B"),
    call("s1", "server_tool_use"),
    result("s1", "web_search_tool_result"),
    call("m1", "mcp_tool_use"),
    result("m1", "mcp_tool_result"),
  ];
  const behind = [thinking("two"), text("C"), call("s2", "server_tool_use")];
  assert.deepEqual(cleanHistory([user("A"), assistant([...kept, fallback, ...behind])]), [
    user("A"),
    assistant([...kept, ...behind]),
  ]);
});

type Six = [Block, Block, Block, Block, Block, Block];
const answer: Six = [thinking("one"), text("B"), call("t1"), fallback, thinking("two"), text("C")];
const echoed = (strict: boolean, content: readonly Block[], sent: readonly Block[] = answer) =>
  checkEcho([user("A"), assistant(content)], 1, [skeletonOf(sent, "end_turn")], { strict })
    ?.message;

test("[FBK24] with fallbacks, a moved or dropped boundary is 400", () => {
  const [one, b, orphan, seam, two, c] = answer;
  for (const fine of [answer, [b, seam, two, c], [b, seam, c], [b, orphan, seam, two, c]])
    assert.equal(echoed(true, fine), undefined);
  for (const moved of [
    [b, two, c],
    [seam, b, two, c],
    [b, two, seam, c],
    [b, c, seam],
    [b, seam, seam, c],
    [one, seam, c, b, two],
  ])
    assert.match(echoed(true, moved) ?? "", /messages\.1\.content: .*moved or dropped/);
  assert.match(echoed(true, [text("B")], [fallback, text("B")]) ?? "", /moved or dropped/);
  assert.equal(echoed(true, [b, c], [text("B"), text("C")]), undefined, "there was none");
  // A paused answer may have gone on in the same turn.
  const paused = skeletonOf([fallback, text("B")], "pause_turn");
  const check = (content: Block[]) =>
    checkEcho([assistant(content)], 0, [paused], { strict: true });
  assert.equal(check([fallback, text("B"), text("C")]), undefined);
  assert.ok(check([text("B"), fallback, text("C")]));
});

test("[FBK25] without fallbacks only what joins or splits thinking is 400", () => {
  const [, b, , seam, two, c] = answer;
  assert.equal(echoed(false, [seam, b, c]), undefined);
  assert.equal(echoed(false, [b, two, c]), undefined);
  assert.match(echoed(false, [thinking("one"), b, two, c]) ?? "", /moved or dropped/);
  const single = [fallback, thinking("one"), thinking("two"), c];
  assert.match(echoed(false, [thinking("one"), seam, two, c], single) ?? "", /moved or dropped/);
});

const fallbacks = [{ model: "medium" }, { model: "small" }];
const chain = plan({ fallbacks });
const [, toMedium, toSmall] = chain.hops;
assert.ok(toMedium && toSmall);

test("[FBK26] with a credit token a boundary that is gone is no fault", () => {
  const body = request({ messages: [user("A"), assistant([text("B")]), user("C")] });
  const [first] = stickyPrefixesOf("org_1", "large", body);
  assert.ok(first);
  const skeletons = [["fallback", "text"]];
  const routes = [{ prefix: first, target: "medium", skeletons }];
  assert.ok(echoFailure(body, chain, routes));
  assert.equal(echoFailure({ ...body, fallback_credit_token: "t" }, chain, routes), undefined);
  assert.ok(echoFailure({ ...body, fallback_credit_token: null }, chain, routes));
  assert.equal(echoFailure(body, plan({}), routes), undefined);
});

const keysOf = (fields: Partial<MessageBody>, organization = "org_1", model = "large") =>
  stickyPrefixesOf(organization, model, request(fields)).map(({ key }) => key);

test("[FBK27] the key is what was said, not how it was sent", () => {
  const first = keysOf({ messages: [user("A")] });
  const marked = { ...text("A"), cache_control: { type: "ephemeral" } };
  const second = keysOf({
    messages: [user([marked]), assistant([thinking("s"), fallback, text("B")]), user("C")],
  });
  assert.equal(first[0], second[0]);
  const plainEcho = [user("A"), assistant([text("B")]), user([text("C")])];
  assert.deepEqual(keysOf({ messages: plainEcho }), second);
  const thought = [user("A"), assistant([fallback, thinking("s"), text("B")]), user("C")];
  assert.deepEqual(keysOf({ messages: thought }), second);
  const dropped = [user("A"), assistant([call("t1"), fallback, text("B")])];
  assert.deepEqual(keysOf({ messages: [...dropped, user([result("t1"), text("C")])] }), second);
  for (const other of [
    keysOf({ messages: [user("B")] }),
    keysOf({ messages: [user("A")], system: "Be kind." }),
    keysOf({ messages: [user("A")] }, "org_2"),
    keysOf({ messages: [user("A")] }, "org_1", "medium"),
  ])
    assert.notEqual(other[0], first[0]);
  assert.notEqual(keysOf({ messages: [user("A"), assistant("X"), user("C")] })[1], second[1]);
  assert.equal(usesSticky(request(), plan({})), false);
  assert.equal(usesSticky(request(), chain), true);
  assert.equal(usesSticky(request({ messages: [assistant([fallback])] }), plan({})), true);
});

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const organizationId = "org_1";
const now = new Date();
const at = (ms: number) => new Date(now.getTime() + ms);
const served = (messages: MessageBody["messages"], hop = toMedium, more: object = {}) => {
  const body = request({ messages });
  const prefixes = stickyPrefixesOf(organizationId, "large", body);
  const content = [fallback, text("B")];
  const stopReason = "end_turn";
  return stickyStatement({
    organizationId,
    body,
    prefixes,
    hop,
    content,
    stopReason,
    now,
    ...more,
  });
};
const write = async (...turn: Parameters<typeof served>) => {
  const statement = served(...turn);
  assert.ok(statement);
  await house.world.db.tx((tx) => tx.query(statement));
};
const look = (messages: MessageBody["messages"], laterMs = 0, organization = organizationId) =>
  stickyLookup(
    house.world.db,
    organization,
    stickyPrefixesOf(organizationId, "large", request({ messages })),
    at(laterMs),
  );

test("[FBK28] the longest prefix that leads to a model of this request wins", async () => {
  const start = [user("28")];
  const next = [...start, assistant([fallback, text("B")]), user("C")];
  await write(start, toMedium);
  await write(next, toSmall);
  const routes = await look([...next, assistant("D"), user("E")]);
  assert.deepEqual(
    routes.map(({ target }) => target),
    ["small", "medium"],
  );
  assert.equal(stickyHop(chain, routes), toSmall);
  const other = plan({ fallbacks: [{ model: "medium" }] }, now07);
  assert.equal(stickyHop(other, routes), other.hops[1]);
  assert.equal(stickyHop(plan({}), routes), undefined);
  assert.deepEqual(await look([user("something else")]), []);
});

test("[FBK29] a row lives for an hour from its last turn, in its organization only", async () => {
  const start = [user("29")];
  await write(start);
  assert.equal((await look(start, minutes(60) - 1)).length, 1);
  assert.equal((await look(start, minutes(60))).length, 0);
  assert.equal((await look(start, 0, "org_2")).length, 0);
  const later = at(minutes(30));
  await write(start, toSmall, { now: later });
  assert.deepEqual(
    (await look(start, minutes(80))).map(({ target }) => target),
    ["small"],
  );
  await write([user("gone")], toMedium, { now: at(-hours(3)) });
  const count = async () => {
    const text = "select count(*) as rows from sticky_routes where expires_at < now()";
    return (await house.world.db.query<{ rows: number }>({ text, values: [] }))[0]?.rows;
  };
  assert.equal(await count(), 1);
  const [kind] = kinds;
  assert.deepEqual(
    schedules.map(({ job }) => job(later).kind),
    [kind?.kind],
  );
  await kind?.run(house.world, {
    job: {
      id: "job_1",
      kind: kind.kind,
      key: null,
      lane: "",
      payload: {},
      attempt: 1,
      attemptsMax: 1,
      createdAt: later,
    },
    signal: new AbortController().signal,
    fence: async () => {},
    finish: async () => {},
  });
  assert.equal(await count(), 0);
  assert.equal((await look(start)).length, 1);
});

test("[FBK30] the row holds types and digests; a refusal and a prefill write none", async () => {
  const secret = "what was said";
  const content = [thinking("sig"), text(secret), call("toolu_1"), fallback, text(secret)];
  const bones = skeletonOf(content, "end_turn");
  assert.deepEqual(
    bones.map((bone) => bone.split(" ")[0]),
    ["thinking", "text", "tool_use", "fallback", "text"],
  );
  assert.doesNotMatch(JSON.stringify(bones), /said|toolu|sig"/);
  await write([user("30")], toMedium, { content });
  const [route] = await look([user("30")]);
  assert.deepEqual(route?.skeletons, [bones]);
  assert.equal(served([user("A"), assistant("So:")]), undefined);
  assert.equal(served([user("A")], toMedium, { stopReason: "refusal" }), undefined);
  assert.equal(served([user("A")], chain.hops[0]), undefined);
});
