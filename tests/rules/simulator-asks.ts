// What the tests of the simulator ask it, and how they look at its answers.
import assert from "node:assert/strict";
import { makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import type { Failure } from "../../kernel/base/failure.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { seededRandom } from "../../kernel/base/random.ts";
import { simulatorModels } from "../../server/models/catalog/built-in.ts";
import { makeSimulator, type SimulatorOptions } from "../../server/models/simulator/adapter.ts";
import type {
  Adapter,
  Attempt,
  Message,
  MessageBody,
  StreamEvent,
} from "../../server/models/module.ts";

export const options = (): SimulatorOptions => ({
  clock: systemClock,
  ids: makeIds(makeManualClock(new Date(0)), seededRandom(1)),
});
export const model = (id: string) =>
  simulatorModels.find((each) => each.id === id) ?? assert.fail(`no model ${id}`);

export type Changes = Partial<MessageBody> & { on?: string; at?: Adapter };

export function attempt(text: string, changes: Changes, stream: boolean): Promise<Attempt> {
  const { on = "sim-large", at = makeSimulator(options()), ...fields } = changes;
  const messages = [{ role: "user" as const, content: text }];
  return at.attempt({
    model: model(on),
    body: { model: on, max_tokens: 10_000, messages, ...fields },
    stream,
    betas: new Set(),
    requestId: "req_1",
    signal: AbortSignal.timeout(20_000),
  });
}

export async function reply(text: string, changes: Changes = {}): Promise<Message> {
  const answer = await attempt(text, changes, false);
  assert.ok(answer.kind === "message", JSON.stringify(answer));
  return answer.message;
}

export async function failure(text: string, changes: Changes = {}): Promise<Failure> {
  const answer = await attempt(text, changes, false);
  return answer.kind === "failure" ? answer.failure : assert.fail("it answered");
}

export async function eventsOf(text: string, changes: Changes = {}): Promise<StreamEvent[]> {
  const answer = await attempt(text, changes, true);
  assert.ok(answer.kind === "stream", JSON.stringify(answer));
  const events: StreamEvent[] = [];
  for await (const batch of answer.events)
    for (const { name, raw, data } of batch) {
      const event = JSON.parse(raw.slice(raw.indexOf("data: ") + 6)) as StreamEvent;
      assert.equal(raw, `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      assert.deepEqual([name, data()], [event.type, event]);
      events.push(event);
    }
  return events;
}

export const textOf = ({ content }: Message) =>
  content.map((block) => (block.type === "text" ? String(block["text"]) : "")).join("");
export const kinds = ({ content }: Message) => content.map(({ type }) => type).join();
export const thinking = { type: "adaptive" };
