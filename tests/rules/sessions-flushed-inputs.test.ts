// Rules SES20 and SES30: what waited while a turn ended too early stays in the conversation, behind what the turn left.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openUpstreamsHouse, type UpstreamsHouse } from "./fallbacks-upstreams-house.ts";
import {
  custom,
  customResult,
  interrupt,
  ofType,
  said,
  sessionsOf,
  wordsOf,
  type SessionCalls,
} from "./sessions-house.ts";

let opened: UpstreamsHouse;
let it: SessionCalls;
before(async () => {
  opened = await openUpstreamsHouse([{ id: "watched" }]);
  it = sessionsOf(() => opened.house);
});
after(() => opened[Symbol.asyncDispose]());

const agent = { model: "watched", tools: [custom("look")] };
const look = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
const callsLook = { content: [look], stop: "tool_use" };
interface HeardBlock {
  type: string;
  text?: string;
}
const heardBlocks = () =>
  opened.heard().map(({ role, content }) => ({
    role,
    parts: (content as HeardBlock[]).map(({ type, text = type }) => text),
  }));

test("[SES30] a turn that fails for good leaves the conversation, and what waited behind it stays", async () => {
  const { id } = await it.make(agent);
  opened.models.set("watched", () => ({ status: 400 }));
  const failed = await it.turn(id, said("Bad."), said("Remember this."), said("And that."));
  assert.equal(ofType(failed, "session.status_idle").length, 1);
  assert.deepEqual(failed.at(-1)?.["stop_reason"], { type: "retries_exhausted" });
  opened.models.delete("watched");
  assert.deepEqual(wordsOf(await it.turn(id, said("Third."))), ["All of it."]);
  assert.deepEqual(heardBlocks(), [
    { role: "user", parts: ["Remember this.", "And that.", "Third."] },
  ]);
});

test("[SES30] one that fails behind the results of its calls leaves with them", async () => {
  const { id } = await it.make(agent);
  await it.turn(id, said("First."));
  opened.models.set("watched", () => callsLook);
  const [call] = ofType(await it.turn(id, said("Bad.")), "agent.custom_tool_use");
  opened.models.set("watched", () => ({ status: 400 }));
  await it.turn(id, customResult(call?.id ?? "", "Seen."), said("Remember this."));
  opened.models.delete("watched");
  await it.turn(id, said("Third."));
  assert.deepEqual(heardBlocks(), [
    { role: "user", parts: ["First."] },
    { role: "assistant", parts: ["All of it."] },
    { role: "user", parts: ["Remember this.", "Third."] },
  ]);
});

test("[SES20] the results of interrupted calls come before what had waited", async () => {
  const { id } = await it.make(agent);
  opened.models.set("watched", () => callsLook);
  await it.turn(id, said("First."));
  await it.send(id, said("Meanwhile."));
  opened.models.delete("watched");
  await it.turn(id, interrupt);
  await it.turn(id, said("Third."));
  assert.deepEqual(heardBlocks(), [
    { role: "user", parts: ["First."] },
    { role: "assistant", parts: ["tool_use"] },
    { role: "user", parts: ["tool_result", "Meanwhile.", "Third."] },
  ]);
});
