// How to make what the routes of sessions name.
import { append } from "../../kernel/log/log.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

const path = "/v1/sessions";
const beta = { "vendor-beta": "managed-agents-2026-04-01" };
const post = async (tenant: Tenant, to: string, body: unknown) =>
  (await tenant.console("POST", to, body, beta)) as { id: string };

const bodyIn = async (tenant: Tenant) => {
  const [agent, environment] = await Promise.all([
    post(tenant, "/v1/agents", { name: "Helper", model: "sim-small" }),
    post(tenant, "/v1/environments", { name: "ours", config: { type: "self_hosted" } }),
  ]);
  return { agent: agent.id, environment_id: environment.id };
};
const sessionIn = async (tenant: Tenant, more: object = {}) => {
  const { id } = await post(tenant, path, { ...(await bodyIn(tenant)), ...more });
  return { session_id: id };
};

/** Nothing has run in it: there are no files. */
const cloudSessionIn = async (tenant: Tenant) => {
  const config = { type: "cloud" };
  const environment = await post(tenant, "/v1/environments", { name: "here", config });
  return sessionIn(tenant, { environment_id: environment.id });
};

/** Each change is an event, and nothing follows it. */
const changedSessionIn = async (tenant: Tenant) => {
  const made = await sessionIn(tenant);
  for (const title of ["one", "two"]) await post(tenant, `${path}/${made.session_id}`, { title });
  return made;
};

const ownThreadOf = async (tenant: Tenant, { session_id }: { session_id: string }) => {
  const threads = await tenant.console("GET", `${path}/${session_id}/threads`, undefined, beta);
  const [thread] = (threads as { data: { id: string }[] }).data;
  return { session_id, thread_id: thread?.id ?? "" };
};
const threadIn = async (tenant: Tenant) => ownThreadOf(tenant, await changedSessionIn(tenant));

/** Beside the session's own; no agent begins one yet. */
const addedThreadIn = async (tenant: Tenant) => {
  const { session_id, thread_id } = await threadIn(tenant);
  const { db, ids } = tenant.world;
  const id = ids.next("sthr_");
  await db.tx((tx) =>
    tx.query(sql`
      insert into session_threads (id, session_id, parent_id, agent_name, status, created_at, updated_at)
      values (${id}, ${session_id}, ${thread_id}, 'Other', 'idle', now(), now())`),
  );
  return { session_id, thread_id: id };
};

const fileIn = async (tenant: Tenant) => {
  const form = new FormData();
  form.append("file", new Blob(["one"]), "notes.txt");
  return { type: "file", file_id: (await post(tenant, "/v1/files", form)).id };
};
const repository = { type: "github_repository", url: "https://github.com/owner/name" };

const resourceOf = async (tenant: Tenant, resource: object) => {
  const { session_id } = await sessionIn(tenant, { resources: [resource] });
  const to = `${path}/${session_id}/resources`;
  const { data } = (await tenant.console("GET", to, undefined, beta)) as { data: { id: string }[] };
  return { session_id, resource_id: data[0]?.id ?? "" };
};

/** With a call of a tool that a client has. */
const waitingSessionIn = async (tenant: Tenant) => {
  const { session_id, thread_id } = await ownThreadOf(tenant, await sessionIn(tenant));
  const { db, ids } = tenant.world;
  const id = ids.next("sevt_");
  await db.tx(async (tx) => {
    await append(tx, tenant.world, thread_id, [
      { id, type: "agent.custom_tool_use", data: { name: "look", input: {} } },
    ]);
    await tx.query(sql`
      insert into session_calls (session_id, event_id, thread_id, kind, needs_confirmation, needs_result)
      values (${session_id}, ${id}, ${thread_id}, 'custom', false, true)`);
  });
};

export const sessionFixtures: Readonly<Record<string, Fixture>> = {
  "sessions.create": { body: bodyIn },
  "sessions.list": {
    items: async (tenant) => {
      await sessionIn(tenant);
      await sessionIn(tenant);
    },
  },
  "console.sessions.waiting": {
    items: async (tenant) => {
      await waitingSessionIn(tenant);
      await waitingSessionIn(tenant);
    },
  },
  "console.sessions.mount_notes": { params: sessionIn },
  "console.sessions.files.list": { params: cloudSessionIn },
  "console.sessions.files.content": {
    params: cloudSessionIn,
    query: "path=/workspace/file",
    elsewhere: "tests/rules/sessions-files.test.ts [SES91]",
  },
  "sessions.retrieve": { params: sessionIn },
  "sessions.update": { params: sessionIn, body: () => ({ title: "Other" }) },
  "sessions.archive": { params: sessionIn },
  "sessions.delete": { params: sessionIn },
  "sessions.events.send": {
    params: sessionIn,
    body: () => ({
      events: [{ type: "user.message", content: [{ type: "text", text: "[[tokens 1]]" }] }],
    }),
  },
  "sessions.events.list": { params: changedSessionIn, items: async () => {} },
  "sessions.events.stream": { params: sessionIn },
  "console.sessions.refused_connections": { params: sessionIn },
  "sessions.threads.list": {
    params: async (tenant) => ({ session_id: (await addedThreadIn(tenant)).session_id }),
    items: async () => {},
  },
  "sessions.threads.retrieve": { params: threadIn },
  "sessions.threads.archive": { params: addedThreadIn },
  "sessions.threads.events.list": { params: threadIn, items: async () => {} },
  "sessions.threads.events.stream": { params: threadIn },
  "sessions.resources.list": {
    params: async (tenant) => sessionIn(tenant, { resources: [await fileIn(tenant), repository] }),
    items: async () => {},
  },
  "sessions.resources.add": {
    params: sessionIn,
    body: async (tenant) => await fileIn(tenant),
  },
  "sessions.resources.retrieve": {
    params: async (tenant) => resourceOf(tenant, await fileIn(tenant)),
  },
  "sessions.resources.update": {
    params: (tenant) => resourceOf(tenant, repository),
    body: () => ({ authorization_token: "another" }),
  },
  "sessions.resources.delete": {
    params: async (tenant) => resourceOf(tenant, await fileIn(tenant)),
  },
};
