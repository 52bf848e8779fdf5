// Rules SES5 to SES9: lists of sessions, their ends, and who sees them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { addWorkspace, errorOf, memoryOf, queryOf, statusesOf } from "./memory-house.ts";
import {
  custom,
  customResult,
  interrupt,
  ofType,
  openSessionHouse,
  rowsOf,
  said,
  sessionsPath,
  slowly,
  typesOf,
  type Session,
  type SessionHouse,
} from "./sessions-house.ts";
import { eventsOf, sentenceOf } from "./support.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse();
});
after(() => it[Symbol.asyncDispose]());

interface Listed {
  data: Session[];
  next_page: string | null;
  prev_page: string | null;
}

const list = (query: Record<string, string | number | boolean> = {}) =>
  it.good<Listed>("GET", queryOf(query));
const idsOf = ({ data }: Pick<Listed, "data">) => data.map(({ id }) => id);

test("[SES5] pages go either way, newest first or oldest first", async () => {
  const body = await it.bodyOf();
  const made: string[] = [];
  for (let at = 0; at < 5; at++) made.push((await it.begin(body)).id);
  const of = { agent_id: body.agent, limit: 2 };
  const newest = made.toReversed();
  for (const [order, whole] of [
    ["desc", newest],
    ["asc", made],
  ] as const) {
    const first = await list({ ...of, order });
    assert.deepEqual(idsOf(first), whole.slice(0, 2));
    assert.equal(first.prev_page, null);
    const second = await list({ ...of, order, page: first.next_page ?? "" });
    assert.deepEqual(idsOf(second), whole.slice(2, 4));
    const third = await list({ ...of, order, page: second.next_page ?? "" });
    assert.deepEqual(idsOf(third), whole.slice(4));
    assert.equal(third.next_page, null);
    const back = await list({ ...of, order, page: third.prev_page ?? "" });
    assert.deepEqual(idsOf(back), whole.slice(2, 4));
    const begin = await list({ ...of, order, page: back.prev_page ?? "" });
    assert.deepEqual(idsOf(begin), whole.slice(0, 2));
    assert.equal(begin.prev_page, null);
    // What goes one way is no cursor of the other.
    const other = order === "asc" ? "desc" : "asc";
    const mixed = await it.call(
      "GET",
      queryOf({ ...of, order: other, page: first.next_page ?? "" }),
    );
    assert.match(sentenceOf(mixed, 400), /^page: /);
  }
  assert.deepEqual(idsOf(await list({ agent_id: body.agent })), newest);
});

test("[SES5] a list is of an agent, of one of its versions, of a store, of a time", async () => {
  const body = await it.bodyOf();
  const first = await it.begin(body);
  await it.askGood("POST", `/v1/agents/${body.agent}`, { body: { system: "More." } });
  const store = await memoryOf(() => it.house).store();
  const resources = [{ type: "memory_store", memory_store_id: store.id }];
  const second = await it.begin({ ...body, resources });
  const agent_id = body.agent;
  assert.deepEqual(idsOf(await list({ agent_id })), [second.id, first.id]);
  assert.deepEqual(idsOf(await list({ agent_id, agent_version: 1 })), [first.id]);
  assert.deepEqual(idsOf(await list({ agent_id, agent_version: 2 })), [second.id]);
  assert.deepEqual(idsOf(await list({ agent_id, agent_version: 3 })), []);
  const alone = await it.call("GET", "?agent_version=1");
  assert.match(sentenceOf(alone, 400), /^agent_version: .*agent_id/);
  assert.deepEqual(idsOf(await list({ memory_store_id: store.id })), [second.id]);
  assert.deepEqual(idsOf(await list({ deployment_id: "depl_none" })), []);
  const timed = (name: string, time: string) =>
    list({ agent_id, [`created_at[${name}]`]: time }).then(idsOf);
  assert.deepEqual(await timed("gt", first.created_at), [second.id]);
  assert.deepEqual(await timed("gte", first.created_at), [second.id, first.id]);
  assert.deepEqual(await timed("lt", second.created_at), [first.id]);
  assert.deepEqual(await timed("lte", second.created_at), [second.id, first.id]);
});

test("[SES5] archived ones are shown where they are asked for, and statuses choose", async () => {
  const body = await it.bodyOf();
  const idle = await it.begin(body);
  const running = await it.begin({ ...body, initial_events: [said(slowly)] });
  const archived = await it.begin(body);
  await it.archive(archived.id);
  const agent_id = body.agent;
  const all = { agent_id, include_archived: true };
  assert.deepEqual(idsOf(await list({ agent_id })), [running.id, idle.id]);
  assert.deepEqual(idsOf(await list(all)), [archived.id, running.id, idle.id]);
  assert.deepEqual(idsOf(await list({ ...all, "statuses[]": "idle" })), [idle.id]);
  assert.deepEqual(idsOf(await list({ ...all, "statuses[]": "running" })), [running.id]);
  assert.deepEqual(idsOf(await list({ ...all, "statuses[]": "terminated" })), [archived.id]);
  // Nothing else is terminated: its name asks for them.
  const ended = { agent_id, "statuses[]": "terminated" };
  assert.deepEqual(idsOf(await list(ended)), [archived.id]);
  const both = await it.good<{ data: Session[] }>("GET", `${queryOf(ended)}&statuses[]=idle`);
  assert.deepEqual(idsOf(both), [archived.id, idle.id]);
  assert.deepEqual(idsOf(await list({ ...ended, include_archived: false })), []);
  await it.archive(running.id);
});

test("[SES6] archiving stops what runs, and the session takes nothing more", async () => {
  const session = await it.make();
  const { id } = session;
  await using stream = await it.stream(id);
  await it.send(id, said(slowly));
  await it.seen(id, "span.model_request_start");
  const archived = await it.archive(id);
  assert.equal(archived.status, "terminated");
  assert.ok(archived.archived_at !== null);
  // The call that was under way is closed, and that is all that follows.
  const heard = typesOf(await stream.through("session.status_terminated"));
  assert.deepEqual(heard.slice(heard.indexOf("span.model_request_start") + 1), [
    "span.model_request_end",
    "session.thread_status_terminated",
    "session.status_terminated",
  ]);
  const told = await it.events(id);
  await expectRefusals(id);
  assert.deepEqual(await it.events(id), told);
  const [thread] = (
    await it.good<{ data: { status: string; archived_at: string }[] }>("GET", `/${id}/threads`)
  ).data;
  assert.deepEqual([thread?.status, thread?.archived_at], ["terminated", archived.archived_at]);
});

async function expectRefusals(id: string): Promise<void> {
  const code = "session_terminated";
  errorOf(await it.trySend(id, [said("More")]), 400, code);
  errorOf(await it.trySend(id, [interrupt]), 400, code);
  errorOf(await it.tryUpdate(id, { title: "More" }), 400, code);
  const file = { type: "file", file_id: "file_none" };
  errorOf(await it.call("POST", `/${id}/resources`, { body: file }), 400, code);
}

test("[SES6] archiving a second time, or at once, changes nothing more", async () => {
  const { id } = await it.make();
  const at = { body: {} };
  const answers = await Promise.all([1, 2, 3].map(() => it.call("POST", `/${id}/archive`, at)));
  assert.deepEqual(statusesOf(answers), [200, 200, 200]);
  const once = { ...(await it.read(id)) };
  const again = await it.archive(id);
  assert.deepEqual(again, once);
  assert.deepEqual(typesOf(await it.events(id)), [
    "session.thread_status_terminated",
    "session.status_terminated",
  ]);
});

test("[SES6] a call that waited waits no more", async () => {
  const { id } = await it.make({ tools: [custom("look")] });
  const [call] = ofType(await it.turn(id, said("[[tool look]]")), "agent.custom_tool_use");
  await it.archive(id);
  const late = await it.trySend(id, [customResult(call?.id ?? "", "Late")]);
  errorOf(late, 400, "session_terminated");
  const rows = await it.house.world.db.query(
    sql`select event_id from session_calls where session_id = ${id}`,
  );
  assert.deepEqual(rows, []);
});

test("[SES7] a deleted session is gone with its events, and its streams are told", async () => {
  const before = await rowsOf(it.house);
  const { id } = await it.make({ tools: [custom("look")] });
  await it.turn(id, said("[[tool look]]"));
  await using stream = await it.stream(id);
  const { status, body } = await it.remove(id);
  assert.equal(status, 200);
  assert.deepEqual(body, { id, type: "session_deleted" });
  await stream.through("session.deleted");
  await stream.ended;
  assert.deepEqual(typesOf(stream.events), ["session.deleted"]);
  assert.ok(stream.events[0]?.id.startsWith("sevt_") && stream.events[0].processed_at !== null);
  for (const [method, path] of readsOf(id)) sentenceOf(await it.call(method, path), 404);
  sentenceOf(await it.remove(id), 404);
  const { audited: _before, ...kept } = before as { audited: number };
  const { audited: _after, ...left } = (await rowsOf(it.house)) as { audited: number };
  assert.deepEqual(left, kept);
});

const readsOf = (id: string) =>
  [
    ["GET", `/${id}`],
    ["GET", `/${id}/events`],
    ["GET", `/${id}/events/stream`],
    ["GET", `/${id}/threads`],
    ["GET", `/${id}/resources`],
  ] as const;

test("[SES7] one that runs is not deleted, and runs on", async () => {
  const { id } = await it.make();
  await it.send(id, said(slowly));
  const refused = errorOf(await it.remove(id), 409, "session_running");
  assert.match(refused.message, /interrupt it first/);
  assert.equal((await it.read(id)).status, "running");
  await it.turn(id, interrupt);
  assert.equal((await it.remove(id)).status, 200);
});

test("[SES7] of a deletion and a message that come at once, one finds what the other left", async () => {
  const { id } = await it.make();
  const [sent, removed] = await Promise.all([it.trySend(id, [said(slowly)]), it.remove(id)]);
  const came = [sent.status, removed.status];
  assert.ok([String([200, 409]), String([404, 200])].includes(String(came)), String(came));
  if (removed.status === 409) await it.archive(id);
});

test("[SES8] another workspace's session does not exist", async () => {
  const { id } = await it.make();
  const threads = await it.good<{ data: { id: string }[] }>("GET", `/${id}/threads`);
  const thread = threads.data[0]?.id;
  const beside = await addWorkspace(it.house, it.platform.organization_id, "wrkspc_ses8");
  const others = [
    { key: it.other.api_key },
    { cookie: it.platform.cookie, headers: beside.headers },
  ];
  const asked: [string, string, object?][] = [
    ...readsOf(id).map(([method, path]): [string, string] => [method, path]),
    ["GET", `/${id}/threads/${thread}`],
    ["GET", `/${id}/threads/${thread}/events`],
    ["GET", `/${id}/threads/${thread}/stream`],
    ["POST", `/${id}`, { title: "Theirs" }],
    ["POST", `/${id}/events`, { events: [said("Theirs")] }],
    ["POST", `/${id}/archive`],
    ["DELETE", `/${id}`],
  ];
  // How long it is there grows all the time.
  const look = async () => [{ ...(await it.read(id)), stats: null }, await it.events(id)];
  const before = await look();
  for (const asking of others) {
    for (const [method, path, body] of asked) {
      const answer = await it.call(method, path, { ...asking, ...(body && { body }) });
      assert.match(sentenceOf(answer, 404), new RegExp(`session.*${id}`), `${method} ${path}`);
    }
    const { body } = await it.call("GET", "", asking);
    assert.ok(!idsOf(body as Listed).includes(id));
  }
  assert.deepEqual(await look(), before);
});

test("[SES8] each request names the beta", async () => {
  const { id } = await it.make();
  const { api_key: key } = it.platform;
  for (const [method, path] of [...readsOf(id), ["GET", ""] as const]) {
    const answer = await it.house.ask(method, sessionsPath + path, { key });
    assert.match(sentenceOf(answer, 400), /managed-agents-2026-04-01/, path);
  }
});

test("[SES9] changes leave an event of the audit log each, and what changes nothing none", async () => {
  const form = new FormData();
  form.append("file", new Blob(["one"]), "notes.txt");
  const { api_key: key } = it.platform;
  const uploaded = await fetch(`${it.house.url}/v1/files`, {
    method: "POST",
    headers: { "x-api-key": key },
    body: form,
  });
  const { id: file_id } = (await uploaded.json()) as { id: string };
  const repository = { type: "github_repository", url: "https://github.com/owner/name" };
  const session = await it.make({}, { resources: [repository] });
  const { id } = session;
  const [given] = session.resources as { id: string }[];
  const token = { authorization_token: "secret" };
  await it.update(id, { title: "Two" });
  await it.update(id, { title: "Two" });
  const added = await it.good<{ id: string }>("POST", `/${id}/resources`, {
    body: { type: "file", file_id },
  });
  await it.good("POST", `/${id}/resources/${given?.id}`, { body: token });
  await it.good("DELETE", `/${id}/resources/${added.id}`);
  await it.turn(id, said("[[tokens 1]]"));
  await it.tryUpdate(id, { vault_ids: [] });
  await it.archive(id);
  await it.archive(id);
  await it.tryUpdate(id, { title: "Three" });
  await it.remove(id);
  await it.remove(id);
  const recorded = (await eventsOf(it.house, it.platform)).filter(
    ({ target }) => target?.id === id,
  );
  assert.deepEqual(
    recorded.map(({ action, target, actor }) => [action, target?.type, actor.type]).toReversed(),
    [
      "created",
      "updated",
      "resource_added",
      "resource_updated",
      "resource_deleted",
      "archived",
      "deleted",
    ].map((verb) => [`session.${verb}`, "session", "api_key"]),
  );
});
