// Rules SES13 to SES16, SES19 and SES21: events that are sent, what they set off, and lists of them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { errorOf } from "./memory-house.ts";
import {
  custom,
  interrupt,
  managedAgents,
  ofType,
  openSessionHouse,
  rowsOf,
  said,
  sessionsPath,
  slowly,
  system,
  typesOf,
  wordsOf,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-house.ts";
import { askAt, sentenceOf, until } from "./support.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse();
});
after(() => it[Symbol.asyncDispose]());

const saying = (word: string) => said(`[[say "${word}"]]`);
/** Half a second long, so that more is sent meanwhile. */
const shortly = said("[[tokens 10]] [[rate 20]]");
const outcome = (more: object = {}) => ({
  type: "user.define_outcome",
  description: "All is well.",
  rubric: { type: "text", content: "Is it?" },
  ...more,
});

test("[SES13] fifty events are taken, fifty-one are not, and none is too few", async () => {
  const { id } = await it.make();
  await it.busy(id);
  const fifty = Array.from({ length: 50 }, (_, at) => said(`number ${at}`));
  const sent = await it.send(id, ...fifty);
  assert.equal(sent.length, 50);
  const before = await rowsOf(it.house);
  sentenceOf(await it.trySend(id, [...fifty, said("one more")]), 400);
  sentenceOf(await it.trySend(id, []), 400);
  const initial_events = [...fifty, said("one more")];
  sentenceOf(await it.tryBegin({ ...(await it.bodyOf()), initial_events }), 400);
  assert.deepEqual(await rowsOf(it.house), before);
  await it.archive(id);
});

test("[SES13] all of a request are taken or none: one that is wrong refuses the others", async () => {
  const { id } = await it.make();
  const before = await rowsOf(it.house);
  const late = { type: "user.tool_result", tool_use_id: "sevt_none" };
  const wrong: object[] = [
    late,
    { type: "user.message", content: [] },
    { type: "user.message", content: [{ type: "text", text: "" }] },
    { type: "user.message", content: "words" },
    { type: "user.nothing" },
    { ...said("Hello"), more: true },
    outcome({ max_iterations: 21 }),
    { type: "agent.message", content: [] },
  ];
  for (const event of wrong)
    sentenceOf(await it.trySend(id, [said("Good"), outcome(), event]), 400);
  const rubric = { type: "file", file_id: "file_none" };
  sentenceOf(await it.trySend(id, [said("Good"), outcome({ rubric })]), 404);
  assert.deepEqual(await it.events(id), []);
  assert.deepEqual(await rowsOf(it.house), before);
  assert.equal((await it.read(id)).status, "idle");
});

test("[SES13] events come back as they are listed, with ids and all that was filled in", async () => {
  const { id } = await it.make();
  const [busy] = await it.send(id, shortly);
  const sent = await it.send(id, said("One", "two"), outcome(), saying("Three"));
  const listed = (await it.events(id)).filter((each) => sent.some((one) => one.id === each.id));
  assert.deepEqual(listed, sent);
  assert.equal(new Set([busy, ...sent].map((each) => each?.id)).size, 4);
  const [message, goal] = sent;
  assert.deepEqual(message?.["content"], said("One", "two").content);
  assert.match(goal?.["outcome_id"], /^outc_/);
  assert.equal(goal?.["max_iterations"], 3);
  await it.turn(id, interrupt);
});

test("[SES13] an event of a million bytes is taken, and none that is larger", async () => {
  const { id } = await it.make();
  await it.busy(id);
  const bare = Buffer.byteLength(JSON.stringify(said("")));
  const sized = (bytes: number) => said("é".repeat((bytes - bare) / 2));
  await it.send(id, sized(1_000_000 - ((1_000_000 - bare) % 2)));
  const before = await rowsOf(it.house);
  const { message } = errorOf(
    await it.trySend(id, [said("Good"), sized(1_000_002 - (bare % 2))]),
    400,
  );
  assert.match(message, /^events\.1: has 1000\d\d\d bytes, and 1000000 are allowed/);
  assert.deepEqual(await rowsOf(it.house), before);
  await it.archive(id);
});

test("[SES14] an input waits while a turn runs, and each has a turn of its own in its order", async () => {
  const { id } = await it.make();
  await it.send(id, shortly);
  await it.seen(id, "span.model_request_start");
  const waiting = [
    ...(await it.send(id, saying("Two"), saying("Three"))),
    ...(await it.send(id, saying("Four"))),
  ];
  assert.deepEqual(
    waiting.map(({ processed_at }) => processed_at),
    [null, null, null],
  );
  const all = await it.idle(id);
  assert.deepEqual(wordsOf(all).slice(1), ["Two", "Three", "Four"]);
  const turns = typesOf(all).filter((type) => /status_(idle|running)$|agent/.test(type));
  const turn = [
    "session.status_running",
    "session.thread_status_running",
    "agent.message",
    "session.thread_status_idle",
    "session.status_idle",
  ];
  assert.deepEqual(turns, [...turn, ...turn, ...turn, ...turn]);
  const taken = waiting.map((each) => all.find((one) => one.id === each.id)?.processed_at ?? "");
  assert.deepEqual(taken, taken.toSorted());
  // Its turn takes it: behind the answer to the one before.
  const answers = ofType(all, "agent.message").map(({ processed_at }) => processed_at ?? "");
  for (const [at, time] of taken.entries()) assert.ok(time >= (answers[at] ?? ""), `${at}`);
});

test("[SES14] what is sent at once, to any process, has turns one after the other", async () => {
  const { id } = await it.make();
  await using second = await it.house.openSecondServer();
  const names = Array.from({ length: 12 }, (_, at) => `word ${at}`);
  const { api_key: key } = it.platform;
  const sends = names.map((name, at) => {
    const url = at % 2 === 0 ? it.house.url : second.url;
    const body = { events: [saying(name)] };
    return askAt(url, "POST", `${sessionsPath}/${id}/events`, {
      key,
      headers: managedAgents,
      body,
    });
  });
  for (const { status, body } of await Promise.all(sends))
    assert.equal(status, 200, JSON.stringify(body));
  const all = await it.idle(id);
  const asked = ofType(all, "user.message").map((each) => each["content"][0].text as string);
  assert.deepEqual(
    wordsOf(all),
    asked.map((each) => /"(.*)"/.exec(each)?.[1]),
  );
  assert.deepEqual(wordsOf(all).toSorted(), names.toSorted());
  for (const type of ["session.status_running", "session.status_idle"])
    assert.equal(ofType(all, type).length, names.length, type);
});

test("[SES15] what begins a turn is followed by the status at once", async () => {
  const { id } = await it.make();
  const [sent] = await it.send(id, said(slowly), said("More"));
  const { status } = await it.read(id);
  const [first, second, third, fourth] = await it.events(id);
  assert.equal(first?.id, sent?.id);
  assert.equal(status, "running");
  assert.deepEqual(typesOf([first, second, third, fourth].filter((each) => each !== undefined)), [
    "user.message",
    "user.message",
    "session.status_running",
    "session.thread_status_running",
  ]);
  await it.archive(id);
  const initial_events = [said(slowly)];
  const begun = await it.make({}, { initial_events });
  assert.equal(begun.status, "running");
  const told = typesOf(await it.events(begun.id));
  assert.deepEqual(told.slice(0, 2), ["user.message", "session.status_running"]);
  await it.archive(begun.id);
});

test("[SES15] the event and the status are one transaction", async () => {
  const { id } = await it.make();
  const run = (text: string) => it.house.world.db.tx((tx) => tx.query({ text, values: [] }));
  await run(`create function refuse() returns trigger language plpgsql as
    $$ begin if new.type = 'session.status_running' then raise exception 'not today'; end if;
    return new; end $$`);
  await run(
    "create trigger refuse before insert on log_events for each row execute function refuse()",
  );
  assert.equal((await it.trySend(id, [said("Hello")])).status, 500);
  await run("drop trigger refuse on log_events; drop function refuse()");
  assert.equal(it.house.expectErrors().length, 1);
  assert.deepEqual(await it.events(id), []);
  assert.equal((await it.read(id)).status, "idle");
  assert.deepEqual(wordsOf(await it.turn(id, saying("Now"))), ["Now"]);
});

test("[SES16] a list is in the order of events, either way, in pages, by types", async () => {
  const { id } = await it.make();
  await it.turn(id, saying("One"));
  await it.turn(id, saying("Two"));
  const all = await it.events(id);
  assert.deepEqual(await it.events(id, { order: "desc" }), all.toReversed());
  assert.ok(all.every(({ type }) => !type.startsWith("internal.")));
  for (const order of ["asc", "desc"]) {
    const paged = await walk(id, { order, limit: 3 });
    assert.ok(paged.every((page) => page.length <= 3));
    assert.deepEqual(paged.flat(), order === "asc" ? all : all.toReversed());
  }
  const types = ["agent.message", "session.status_idle"];
  const query = types.map((type) => `types[]=${type}`).join("&");
  const typed = await it.good<{ data: SessionEvent[] }>("GET", `/${id}/events?${query}`);
  assert.deepEqual(
    typed.data,
    all.filter(({ type }) => types.includes(type)),
  );
  sentenceOf(await it.call("GET", `/${id}/events?types[]=internal.turn_started`), 400);
  const [thread] = (await it.good<{ data: { id: string }[] }>("GET", `/${id}/threads`)).data;
  const ofThread = await it.good<{ data: unknown }>("GET", `/${id}/threads/${thread?.id}/events`);
  assert.deepEqual(ofThread.data, all);
});

async function walk(id: string, query: Record<string, string | number>): Promise<SessionEvent[][]> {
  const pages: SessionEvent[][] = [];
  for (let next: string | null = ""; next !== null;) {
    const { data, next_page } = await it.eventsPage(id, {
      ...query,
      ...(next !== "" && { page: next }),
    });
    pages.push(data);
    next = next_page;
  }
  return pages;
}

test("[SES16] a page has a thousand events at most, and one more is refused", async () => {
  const { id } = await it.make();
  await it.eventsPage(id, { limit: 1000 });
  const { message } = errorOf(await it.call("GET", `/${id}/events?limit=1001`), 400);
  assert.match(message, /^limit: .*1000/);
});

test("[SES16] a page of large events is shorter, and goes on", async () => {
  const { id } = await it.make();
  await it.busy(id);
  const large = said("x".repeat(990_000));
  for (let at = 0; at < 10; at++) await it.send(id, large);
  const asc = await walk(id, { limit: 1000 });
  const sizes = asc.map((page) => Buffer.byteLength(JSON.stringify(page)));
  assert.deepEqual(
    sizes.map((bytes) => bytes < 8 * 1024 * 1024 + 100_000),
    [true, true],
  );
  const whole = asc.flat();
  assert.equal(ofType(whole, "user.message").length, 11);
  assert.equal(new Set(whole.map((each) => each.id)).size, whole.length);
  const desc = await walk(id, { limit: 1000, order: "desc" });
  assert.equal(desc.length, 2);
  assert.deepEqual(
    desc.flat().map((each) => each.id),
    whole.map((each) => each.id).toReversed(),
  );
  await it.archive(id);
});

test("[SES16] with created_at it is in the order of processing, of what has been processed", async () => {
  const { id } = await it.make();
  await it.send(id, shortly);
  await it.seen(id, "span.model_request_start");
  const [waiting] = await it.send(id, said(slowly));
  const since = { "created_at[gte]": "2020-01-01T00:00:00Z", limit: 1000 };
  const early = (await it.eventsPage(id, since)).data;
  assert.ok(early.length >= 4 && early.every(({ processed_at }) => processed_at !== null));
  assert.ok(!early.some((each) => each.id === waiting?.id));
  await until(
    async () => ofType(await it.events(id), "span.model_request_start").length === 2,
    "the second turn",
  );
  await it.turn(id, interrupt);
  const all = await it.events(id);
  const timed = (await it.eventsPage(id, since)).data;
  const times = timed.map(({ processed_at }) => processed_at ?? "");
  assert.deepEqual(times, times.toSorted());
  const byId = (events: readonly SessionEvent[]) => events.map((each) => each.id).toSorted();
  assert.deepEqual(byId(timed), byId(all));
  // It was sent before the answer to the first one, and taken behind it.
  const place = (events: readonly SessionEvent[]) =>
    events.findIndex((each) => each.id === waiting?.id) -
    events.findIndex(({ type }) => type === "agent.message");
  assert.ok(place(all) < 0 && place(timed) > 0);
  assert.deepEqual((await walk(id, { ...since, limit: 2 })).flat(), timed);
  const back = (await walk(id, { ...since, limit: 3, order: "desc" })).flat();
  assert.deepEqual(back, timed.toReversed());
  const at = timed[5]?.processed_at ?? "";
  const within = async (name: string) =>
    (await it.eventsPage(id, { [`created_at[${name}]`]: at, limit: 1000 })).data;
  const holding = (holds: (time: string) => boolean) =>
    timed.filter(({ processed_at }) => holds(processed_at ?? ""));
  assert.deepEqual(
    await within("gt"),
    holding((time) => time > at),
  );
  assert.deepEqual(
    await within("gte"),
    holding((time) => time >= at),
  );
  assert.deepEqual(
    await within("lt"),
    holding((time) => time < at),
  );
  assert.deepEqual(
    await within("lte"),
    holding((time) => time <= at),
  );
});

test("[SES19] a system.message stands last, right behind a message or a result", async () => {
  const { id } = await it.make({ tools: [custom("look")] });
  const own = system("Be brief.");
  const last = /stands last/;
  const behind = /right behind a user\.message or the result of a tool/;
  await it.refuses(id, [own], undefined, behind);
  await it.refuses(id, [own, said("Hello")], undefined, last);
  await it.refuses(id, [said("Hello"), own, own], undefined, last);
  await it.refuses(id, [said("Hello"), own, said("More")], undefined, last);
  await it.refuses(id, [outcome(), own], undefined, behind);
  await it.refuses(id, [said("Hello"), interrupt, own], undefined, behind);
  assert.deepEqual(await it.events(id), []);
  const image = { ...own, content: [{ type: "image", source: { type: "url", url: "https://x" } }] };
  sentenceOf(await it.trySend(id, [said("Hello"), image]), 400);
  const turn = await it.turn(id, saying("Yes"), own);
  assert.deepEqual(typesOf(turn).slice(0, 3), [
    "user.message",
    "system.message",
    "session.status_running",
  ]);
  assert.ok(turn.every(({ processed_at }) => processed_at !== null));
  assert.equal(ofType(turn, "agent.message").length, 1);
});

test("[SES21] nothing follows the idle event that ends a turn", async () => {
  const { id } = await it.make();
  const before = [await it.turn(id, saying("One")), await it.turn(id, saying("Two"))].flat();
  await until(async () => {
    const [row] = await it.house.world.db.query<{ free: boolean }>(
      sql`select lease_owner is null and due_at is null as free from sessions where id = ${id}`,
    );
    return row?.free;
  }, "the session to be given back");
  assert.deepEqual(await it.events(id), before);
  assert.equal(before.at(-1)?.type, "session.status_idle");
  assert.deepEqual(before.at(-1)?.["stop_reason"], { type: "end_turn" });
  assert.equal(before.at(-1)?.["stop_details"], null);
});
