// The unchanged official client: its message threads, and how it goes on where the server has lost one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import {
  failing,
  fallback07,
  listeningClient,
  opensOf,
  textOf,
  type Seen,
} from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const common = { model: "sim-medium", max_tokens: 300 };
const user = (content: string) => ({ role: "user" as const, content });
const sent = (seen: readonly Seen[]) =>
  seen.map(({ status, body }) => [status, body.thread?.type, body.messages.length]);

/** All threads are gone, as after a day. */
const forget = () => house.world.db.query(sql`delete from message_threads`);

test("a thread of many turns sends only what is new, whole and as a stream", async () => {
  const { client, seen } = listeningClient(house);
  const thread = client.beta.messages.thread({ ...common, system: "Be brief." });
  const first = await thread.send(user('Hello. [[say "One."]]'));
  assert.equal(textOf(first.content), "One.");
  const streamed = await thread.stream(user('And? [[say "Two."]]')).finalMessage();
  assert.equal(textOf(streamed.content), "Two.");
  thread.append(user("Thirdly."));
  const third = await thread.send();
  assert.match(textOf(third.content), /^You said: "Thirdly\."/);
  const { id } = await thread.stream(user("Fourth.")).finalMessage();
  assert.equal(thread.previousMessageId, id);
  assert.equal(thread.messages.length, 8);
  assert.deepEqual(sent(seen), [
    [200, "create", 1],
    [200, "continue", 1],
    [200, "continue", 1],
    [200, "continue", 1],
  ]);
  assert.deepEqual(
    seen.map(({ body }) => body.system),
    ["Be brief.", undefined, undefined, undefined],
  );
  const messages = thread.messages.slice(0, -1);
  const whole = await client.beta.messages.create({ ...common, system: "Be brief.", messages });
  const kept = await client.beta.messages.create({
    ...common,
    betas: ["message-threads-2026-08-12"],
    thread: { type: "create" },
    system: "Be brief.",
    messages,
  });
  assert.deepEqual(whole.content, kept.content);
  assert.equal(whole.usage.input_tokens, kept.usage.input_tokens);
});

const calls: string[] = [];
const tool = (name: string) =>
  betaTool({
    name,
    description: "A tool.",
    inputSchema: { type: "object", properties: { n: { type: "integer" } } } as const,
    run: (input) => {
      calls.push(`${name} ${(input as { n?: number }).n}`);
      return `${name} is done`;
    },
  });
const tools = [tool("a"), tool("b")];
const work = user('Go. [[tools a {"n":1} | b {"n":2} | a {"n":3}]] [[tool b {"n":4}]]');

for (const stream of [false, true])
  for (const runToolsEagerly of stream ? [false, true] : [false])
    test(`the tool runner makes calls side by side, stream ${stream}, eagerly ${runToolsEagerly}`, async () => {
      calls.length = 0;
      const { client, seen } = listeningClient(house);
      const runner = client.beta.messages.toolRunner({
        ...common,
        tools,
        messages: [work],
        stream,
        ...(runToolsEagerly && { runToolsEagerly }),
      });
      for await (const each of runner) if ("finalMessage" in each) await each.finalMessage();
      const final = await runner.done();
      assert.match(textOf(final.content), /^b answered: "b is done"\./);
      assert.deepEqual(calls.toSorted(), ["a 1", "a 3", "b 2", "b 4"]);
      assert.deepEqual(sent(seen), [
        [200, "create", 1],
        [200, "continue", 1],
        [200, "continue", 1],
      ]);
      assert.equal(seen[1]?.body.messages[0].content.length, 3);
      assert.equal(seen[1]?.body.tools, undefined);
      assert.equal(await opensOf(house), 0);
    });

test("a thread's own tool runner goes on in the same conversation, and tools come in on the way", async () => {
  const { client, seen } = listeningClient(house);
  const thread = client.beta.messages.thread({ ...common, tools });
  await thread.send(user("Hello."));
  thread.append(user("Do it. [[tool a]]"));
  const runner = thread.toolRunner();
  for await (const message of runner)
    if (message.stop_reason === "tool_use") runner.addTools(tool("late"));
  assert.match(textOf((await runner.done()).content), /^a answered/);
  await thread.send(user("Thanks."));
  assert.deepEqual(
    seen.map(({ status, body }) => [status, body.thread?.type]),
    [
      [200, "create"],
      [200, "continue"],
      [200, "continue"],
      [200, "continue"],
    ],
  );
  assert.equal(thread.messages.at(-1)?.role, "assistant");
});

test("a paused answer is resumed with nothing new", async () => {
  const { client, seen } = listeningClient(house);
  const runner = client.beta.messages.toolRunner({
    ...common,
    tools,
    messages: [user('[[say "One two."]] [[stop pause_turn]]')],
  });
  const reasons: unknown[] = [];
  for await (const { stop_reason } of runner) reasons.push(stop_reason);
  assert.deepEqual(reasons, ["pause_turn", "end_turn"]);
  assert.deepEqual(sent(seen), [
    [200, "create", 1],
    [200, "continue", 0],
  ]);
});

test("where the thread is lost or taken the client sends all of it, and goes on", async () => {
  const { client, seen } = listeningClient(house);
  const thread = client.beta.messages.thread(common);
  await thread.send(user("Hello."));
  await forget();
  await thread.send(user("More."));
  assert.deepEqual(sent(seen.splice(0)), [
    [200, "create", 1],
    [404, "continue", 1],
    [200, "create", 3],
  ]);
  // Another client was faster.
  const { client: other } = listeningClient(house);
  const previous_message_id = thread.previousMessageId ?? "";
  const next = {
    ...common,
    betas: ["message-threads-2026-08-12"],
    thread: { type: "continue" as const, previous_message_id },
    messages: [user("Mine.")],
  };
  await other.beta.messages.create(next);
  const again = await failing(
    Anthropic.ThreadAlreadyContinuedError,
    other.beta.messages.create(next),
  );
  assert.equal(again.errorCode, "thread_already_continued");
  await thread.send(user("Yours."));
  assert.deepEqual(sent(seen.splice(0)), [
    [400, "continue", 1],
    [200, "create", 5],
  ]);
  // Or is at it just now.
  const current = { ...next.thread, previous_message_id: thread.previousMessageId ?? "" };
  const slow = other.beta.messages.stream({
    ...next,
    thread: current,
    messages: [user("[[tokens 40]] [[rate 40]]")],
  });
  await new Promise((resolve) => slow.once("streamEvent", resolve));
  await thread.send(user("Meanwhile."));
  assert.deepEqual(sent(seen.splice(0)), [
    [400, "continue", 1],
    [200, "create", 7],
  ]);
  await slow.finalMessage();
});

test("a refusal, a broken stream and one that is aborted leave a thread that goes on", async () => {
  const { client, seen } = listeningClient(house);
  const thread = client.beta.messages.thread(common);
  await thread.send(user("Hello."));
  const refused = await thread.send(user("Bad. [[refuse models=*]]"));
  assert.equal(refused.stop_reason, "refusal");
  assert.match(textOf((await thread.send(user("Good."))).content), /^You said: "Good\."/);
  await assert.rejects(
    thread.stream(user("Break. [[tokens 40]] [[fail after=5]]")).finalMessage(),
    Anthropic.APIError,
  );
  const slow = thread.stream(user("Slowly. [[tokens 90]] [[rate 30]]"));
  slow.once("text", () => slow.abort());
  await assert.rejects(slow.finalMessage(), Anthropic.APIUserAbortError);
  const last = await thread.send(user('Well? [[say "Yes."]]'));
  assert.equal(textOf(last.content), "Yes.");
  assert.ok(seen.every(({ status }) => status === 200));
  await assert.rejects(thread.send(user("[[fail status=400]]")), Anthropic.BadRequestError);
  await thread.send(user("Onward."));
  assert.equal(seen.at(-1)?.body.thread.type, "continue");
});

test("what cannot stand beside a thread is an error of its own, or sent without one", async () => {
  const { client, seen } = listeningClient(house);
  const params = {
    ...common,
    model: "sim-large",
    fallbacks: "default" as const,
    betas: [fallback07],
  };
  const strict = client.beta.messages.thread(params);
  const error = await failing(Anthropic.ThreadUnsupportedRequestError, strict.send(user("Hello.")));
  assert.deepEqual(error.details.unsupported, ["fallbacks"]);
  const lenient = client.beta.messages.thread({
    ...params,
    unsupportedRequestBehavior: "continue_unthreaded",
  });
  await lenient.send(user("Hello. [[refuse category=cyber]]"));
  await lenient.send(user("More."));
  assert.deepEqual(sent(seen), [
    [400, "create", 1],
    [400, "create", 1],
    [200, undefined, 1],
    [200, undefined, 3],
  ]);
  const { client: other } = listeningClient(house);
  const kept = await other.beta.messages.create({
    ...common,
    betas: ["message-threads-2026-08-12"],
    thread: { type: "create" },
    system: "One.",
    messages: [user("Hello.")],
  });
  const changed = await failing(
    Anthropic.ThreadFingerprintMismatchError,
    other.beta.messages.create({
      ...common,
      betas: ["message-threads-2026-08-12"],
      thread: { type: "continue", previous_message_id: kept.id },
      system: "Two.",
      messages: [user("More.")],
    }),
  );
  assert.match(changed.message, /system: /);
});
