// Rules SES17 and SES18: streams of events, and what is shown while it is written.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  interrupt,
  ofType,
  openSessionHouse,
  said,
  sessionsOf,
  slowly,
  typesOf,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-house.ts";
import { openUpstreamsHouse } from "./fallbacks-upstreams-house.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse();
});
after(() => it[Symbol.asyncDispose]());

const idle = "session.status_idle";
const deltas = "?event_deltas[]=agent.message&event_deltas[]=agent.thinking";
const isPreview = ({ type }: SessionEvent) => type === "event_start" || type === "event_delta";
/** A stream shows an input as it comes, a list what has become of it: it may have been taken by then. */
const asSent = (events: readonly SessionEvent[]) =>
  events.map((event) =>
    event.type === "user.message" ? { ...event, processed_at: "of its turn" } : event,
  );
const listed = (events: readonly SessionEvent[]) => events.filter((event) => !isPreview(event));

test("[SES17] a stream has what comes after its opening, as it is listed, sent events too", async () => {
  const { id } = await it.make();
  const past = await it.turn(id, said("Hello"));
  await using stream = await it.stream(id);
  const turn = await it.turn(id, said("Hello again"));
  assert.deepEqual(asSent(await stream.through(idle)), asSent(turn));
  assert.deepEqual(
    stream.frameIds,
    turn.map((event) => event.id),
  );
  assert.deepEqual([...past, ...turn], await it.events(id));
  assert.ok(!JSON.stringify(stream.events).includes("internal."));
});

test("[SES17] streams of any process have each event once", async () => {
  const { id } = await it.make();
  await using second = await it.house.openSecondServer();
  const urls = [it.house.url, it.house.url, second.url, second.url];
  const streams = await Promise.all(urls.map((url) => it.stream(id, { url })));
  const sent = await Promise.all([1, 2, 3].map((at) => it.send(id, said(`Number ${at}`))));
  assert.equal(sent.flat().length, 3);
  const all = await it.idle(id);
  for (const stream of streams) {
    await using open = stream;
    let from = 0;
    for (let turns = 0; turns < 3; turns++) from += (await open.through(idle, from)).length;
    assert.deepEqual(
      open.events.map((event) => event.id),
      all.map((event) => event.id),
    );
  }
});

test("[SES17] who names the last event that it had goes on behind it", async () => {
  const { id } = await it.make();
  const turn = await it.turn(id, said("Hello"));
  for (const [at, event] of turn.entries()) {
    if (at === turn.length - 1) break;
    await using stream = await it.stream(id, { headers: { "last-event-id": event.id } });
    assert.deepEqual(asSent(await stream.through(idle)), asSent(turn.slice(at + 1)));
  }
  await using fresh = await it.stream(id, { headers: { "last-event-id": "" } });
  const next = await it.turn(id, said("Hello again"));
  assert.deepEqual(asSent(await fresh.through(idle)), asSent(next));
});

test("[SES17] who names an event that is not there misses none: all come, from the first on", async () => {
  const [{ id }, other] = [await it.make(), await it.make()];
  const turn = await it.turn(id, said("Hello"));
  const [theirs] = await it.turn(other.id, said("Hello"));
  for (const last of ["sevt_none", theirs?.id ?? "", "no id at all"]) {
    await using stream = await it.stream(id, { headers: { "last-event-id": last } });
    assert.deepEqual(await stream.through(idle), turn, last);
  }
});

test("[SES17] the stream of the session's own thread is the session's", async () => {
  const { id } = await it.make();
  const [thread] = (await it.good<{ data: { id: string }[] }>("GET", `/${id}/threads`)).data;
  await using stream = await it.stream(id, { path: `threads/${thread?.id}/stream` });
  const turn = await it.turn(id, said("Hello"));
  assert.deepEqual(asSent(await stream.through(idle)), asSent(turn));
});

test("[SES18] an event is begun, then written, then whole under the same id, and none of it listed", async () => {
  const { id } = await it.make();
  await using stream = await it.stream(id, { query: deltas });
  await using plain = await it.stream(id);
  await it.turn(id, said("[[tokens 20]] [[rate 40]]"));
  const heard = await stream.through(idle);
  assert.deepEqual(asSent(listed(heard)), asSent(await plain.through(idle)));
  assert.deepEqual(asSent(await it.events(id)), asSent(listed(heard)));
  const whole = ofType(heard, "agent.message")[0];
  const [start, ...more] = ofType(heard, "event_start");
  assert.deepEqual(start, {
    type: "event_start",
    event: { type: "agent.message", id: whole?.id },
  });
  assert.deepEqual(more, []);
  const pieces = ofType(heard, "event_delta");
  assert.ok(pieces.length > 1, "it came in one piece");
  assert.ok(pieces.every((piece) => piece["event_id"] === whole?.id));
  assert.ok(pieces.every((piece) => piece["delta"].index === 0));
  assert.equal(
    pieces.map((piece) => piece["delta"].content.text as string).join(""),
    whole?.["content"][0].text,
  );
  const order = typesOf(heard.filter((each) => isPreview(each) || each === whole));
  assert.deepEqual(order, ["event_start", ...pieces.map(({ type }) => type), "agent.message"]);
  assert.equal(stream.frameIds.length, listed(heard).length, "a preview has an id to go on from");
});

test("[SES18] a thought is begun and not told", async () => {
  await using opened = await openUpstreamsHouse([{ id: "pensive" }]);
  const own = sessionsOf(() => opened.house);
  const thinking = { type: "thinking", thinking: "Hm.", signature: "s" };
  const content = [thinking, { type: "text", text: "So it is." }];
  opened.models.set("pensive", () => ({ content }));
  const { id } = await own.make({ model: "pensive" });
  const queries = [deltas, "?event_deltas[]=agent.message", "?event_deltas[]=agent.thinking"];
  const streams = await Promise.all(queries.map((query) => own.stream(id, { query })));
  const turn = await own.turn(id, said("Hello"));
  const [thought, message] = turn.filter(({ type }) => type.startsWith("agent."));
  assert.deepEqual(typesOf([thought, message].filter((each) => each !== undefined)), [
    "agent.thinking",
    "agent.message",
  ]);
  assert.deepEqual(Object.keys(thought ?? {}).toSorted(), ["id", "processed_at", "type"]);
  const begun: unknown[] = [];
  for (const stream of streams) {
    await using open = stream;
    const heard = await open.through(idle);
    begun.push(ofType(heard, "event_start").map(({ event }) => (event as { id: string }).id));
    assert.ok(!JSON.stringify(heard.filter(isPreview)).includes("Hm."));
    assert.ok(ofType(heard, "event_delta").every((each) => each["event_id"] === message?.id));
  }
  assert.deepEqual(begun, [[thought?.id, message?.id], [message?.id], [thought?.id]]);
});

test("[SES18] who comes while an event is written sees none of it before it is whole", async () => {
  const { id } = await it.make();
  await using early = await it.stream(id, { query: deltas });
  await it.send(id, said("[[tokens 40]] [[rate 20]]"));
  await early.through("event_delta");
  await using late = await it.stream(id, { query: deltas });
  const heard = await late.through(idle);
  assert.deepEqual(typesOf(heard), [
    "agent.message",
    "span.model_request_end",
    "session.thread_status_idle",
    idle,
  ]);
  assert.ok(early.events.some(isPreview));
});

test("[SES18] another process shows it too", async () => {
  const { id } = await it.make();
  await using second = await it.house.openSecondServer();
  await using here = await it.stream(id, { query: deltas });
  await using there = await it.stream(id, { query: deltas, url: second.url });
  await it.send(id, said("[[tokens 20]] [[rate 20]]"));
  const [one, other] = [await here.through(idle), await there.through(idle)];
  assert.deepEqual(asSent(listed(one)), asSent(listed(other)));
  assert.deepEqual(one.filter(isPreview), other.filter(isPreview));
  assert.ok(one.some(isPreview));
});

test("[SES18] what an interrupt breaks off is never whole: its span ends", async () => {
  const { id } = await it.make();
  await using stream = await it.stream(id, { query: deltas });
  await it.send(id, said(slowly));
  await stream.through("event_delta");
  await it.turn(id, interrupt);
  const heard = await stream.through(idle);
  assert.equal(ofType(heard, "agent.message").length, 0);
  const [end] = ofType(heard, "span.model_request_end");
  const [start] = ofType(heard, "span.model_request_start");
  assert.equal(end?.["model_request_start_id"], start?.id);
  assert.equal(end?.["is_error"], true);
});

test("[SES18] what is not shown so cannot be asked for", async () => {
  const { id } = await it.make();
  const query = "?event_deltas[]=agent.tool_use";
  await assert.rejects(async () => {
    await using _stream = await it.stream(id, { query });
  }, /: 400$/m);
});
