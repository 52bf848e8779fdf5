// The official client against cloud sessions: this server runs the tools of their computer in real sandboxes.
import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import type Anthropic from "@anthropic-ai/sdk";
import { sandboxesPart } from "../../server/sessions/sandbox/sandboxes.ts";
import { openHouse, type House } from "../house.ts";
import { listeningClient } from "./messages-client.ts";

let house: House;
let fault: string | undefined;
before(async () => {
  house = await openHouse();
  fault = await sandboxesPart.of(house.world).fault();
});
after(() => house[Symbol.asyncDispose]());

type SessionEvent = Anthropic.Beta.Sessions.BetaManagedAgentsSessionEvent;

const said = (text: string) => ({
  type: "user.message" as const,
  content: [{ type: "text" as const, text }],
});
const tools = (...calls: readonly [name: string, input: object][]) =>
  said(`[[tools ${calls.map(([name, input]) => `${name} ${JSON.stringify(input)}`).join(" | ")}]]`);

/** A session whose tools run here; passed by, by name, where no sandbox can be made. */
async function begin(t: TestContext, policy: "always_allow" | "always_ask" = "always_allow") {
  if (fault !== undefined) {
    t.skip(fault);
    return undefined;
  }
  const { client } = listeningClient(house, { maxRetries: 2 });
  const agent = await client.beta.agents.create({
    name: "Helper",
    model: "sim-small",
    tools: [
      {
        type: "agent_toolset_20260401",
        default_config: { enabled: true, permission_policy: { type: policy } },
      },
    ],
  });
  const environment = await client.beta.environments.create({
    name: "cloud",
    config: { type: "cloud" },
  });
  const session = await client.beta.sessions.create({
    agent: agent.id,
    environment_id: environment.id,
  });
  return { client, id: session.id };
}

/** What comes over a stream up to the first event that is so. */
async function streamUntil(
  client: Anthropic,
  id: string,
  isSo: (type: string) => boolean,
  act: () => Promise<unknown>,
): Promise<{ type: string }[]> {
  const stream = await client.beta.sessions.events.stream(id);
  await act();
  const seen: { type: string }[] = [];
  for await (const event of stream) {
    seen.push(event);
    if (isSo(event.type)) break;
  }
  return seen;
}

const isIdle = (type: string) => type === "session.status_idle";

async function listed(client: Anthropic, id: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of client.beta.sessions.events.list(id)) events.push(event);
  return events;
}

const resultsIn = (events: readonly SessionEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type !== "agent.tool_result") return [];
    const [block] = event.content ?? [];
    return [block?.type === "text" ? block.text : ""];
  });

const callsIn = (events: readonly SessionEvent[]): string[] =>
  events.flatMap((event) => (event.type === "agent.tool_use" ? [event.id] : []));

test("cloud sessions: the six tools of a computer, one after the other", async (t) => {
  const begun = await begin(t);
  if (begun === undefined) return;
  const { client, id } = begun;
  const path = "/workspace/notes/one.txt";
  const work = tools(
    ["write", { file_path: path, content: "first line\nsecond line\n" }],
    ["edit", { file_path: path, old_string: "second", new_string: "last" }],
    ["read", { file_path: path }],
    ["glob", { pattern: "**/*.txt" }],
    ["grep", { pattern: "last" }],
    ["bash", { command: "wc -l <notes/one.txt; pwd" }],
  );
  await streamUntil(client, id, isIdle, () =>
    client.beta.sessions.events.send(id, { events: [work] }),
  );
  const [written, edited, read, found, lines, shell] = resultsIn(await listed(client, id));
  assert.match(written ?? "", /^Wrote 23 bytes/);
  assert.ok(edited);
  assert.equal(read, "first line\nlast line\n");
  assert.match(found ?? "", /notes\/one\.txt/);
  assert.match(lines ?? "", /last line/);
  assert.equal(shell, "2\n/workspace");
});

test("cloud sessions: what is asked first runs when it is allowed, and not when it is denied", async (t) => {
  const begun = await begin(t, "always_ask");
  if (begun === undefined) return;
  const { client, id } = begun;
  const work = tools(
    ["bash", { command: "echo allowed >>asked; echo ran" }],
    ["bash", { command: "echo denied >>asked" }],
  );
  await streamUntil(client, id, isIdle, () =>
    client.beta.sessions.events.send(id, { events: [work] }),
  );
  const [allowed = "", denied = ""] = callsIn(await listed(client, id));
  await streamUntil(client, id, isIdle, () =>
    client.beta.sessions.events.send(id, {
      events: [
        { type: "user.tool_confirmation", tool_use_id: allowed, result: "allow" },
        {
          type: "user.tool_confirmation",
          tool_use_id: denied,
          result: "deny",
          deny_message: "Not that one.",
        },
      ],
    }),
  );
  assert.deepEqual(resultsIn(await listed(client, id)).toSorted(), [
    "The call was denied: Not that one.",
    "ran",
  ]);
  await streamUntil(client, id, isIdle, () =>
    client.beta.sessions.events.send(id, { events: [tools(["bash", { command: "cat asked" }])] }),
  );
  const [last = ""] = callsIn(await listed(client, id)).slice(-1);
  await streamUntil(client, id, isIdle, () =>
    client.beta.sessions.events.send(id, {
      events: [{ type: "user.tool_confirmation", tool_use_id: last, result: "allow" }],
    }),
  );
  assert.equal(resultsIn(await listed(client, id)).at(-1), "allowed");
});

test("cloud sessions: an interrupt ends a command, and the files are there afterwards", async (t) => {
  const begun = await begin(t);
  if (begun === undefined) return;
  const { client, id } = begun;
  const work = tools(["bash", { command: "echo before >file; sleep 1000; echo after >>file" }]);
  await streamUntil(
    client,
    id,
    (type) => type === "agent.tool_use",
    () => client.beta.sessions.events.send(id, { events: [work] }),
  );
  await streamUntil(client, id, isIdle, () =>
    client.beta.sessions.events.send(id, { events: [{ type: "user.interrupt" }] }),
  );
  assert.match(resultsIn(await listed(client, id))[0] ?? "", /[Ii]nterrupted/);
  const look = tools(["bash", { command: "cat file 2>/dev/null; echo end" }]);
  await streamUntil(client, id, isIdle, () =>
    client.beta.sessions.events.send(id, { events: [look] }),
  );
  const shown = resultsIn(await listed(client, id)).at(-1) ?? "";
  assert.match(shown, /end/);
  assert.doesNotMatch(shown, /after/);
});

test("cloud sessions: who reconnects in the middle of a call misses nothing of it", async (t) => {
  const begun = await begin(t);
  if (begun === undefined) return;
  const { client, id } = begun;
  const work = tools(["bash", { command: "sleep 2; echo went" }]);
  const before = await streamUntil(
    client,
    id,
    (type) => type === "agent.tool_use",
    () => client.beta.sessions.events.send(id, { events: [work] }),
  );
  assert.ok(!before.some(({ type }) => isIdle(type)));
  const known = new Set<string>();
  const after = await streamUntil(client, id, isIdle, async () => {
    for (const event of await listed(client, id)) known.add(event.id);
  });
  for (const event of after) if ("id" in event) known.add(String(event.id));
  const all = await listed(client, id);
  assert.deepEqual(
    all.map((event) => event.id).filter((each) => !known.has(each)),
    [],
  );
  assert.deepEqual(resultsIn(all), ["went"]);
});
