// What holds of every thread, whatever is sent to it and whatever its model answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { validateBody } from "../../server/messages/validate/body.ts";
import { simulatorModels } from "../../server/models/catalog/built-in.ts";
import type { Model, Turn } from "../../server/models/module.ts";
import type { LoggedEvent } from "../../server/sessions/conversation/events.ts";
import { step } from "../../server/sessions/conversation/fold.ts";
import type { NextStep } from "../../server/sessions/conversation/next.ts";
import { promptOf } from "../../server/sessions/brain/outside/prompt.ts";
import { emptyThread, type ThreadState } from "../../server/sessions/conversation/state.ts";
import { shownTurns } from "../../server/sessions/conversation/turns.ts";
import { drive, type Act, type Answer, type Case } from "./sessions-driver.ts";

const isLong = process.env["PLINTH_TEST_LONG"] !== undefined;
const numRuns = isLong ? 5_000 : 400;
const [large] = simulatorModels as [Model];

const call = fc.record({
  kind: fc.constantFrom("custom" as const, "built_in" as const),
  permission: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
});
const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ is: "text" as const }) },
  { weight: 1, arbitrary: fc.constant({ is: "nothing" as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant("calls" as const),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant("refusal" as const), isPartial: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant("failure" as const), isTransient: fc.boolean() }),
  },
);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ do: "brain" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("message" as const), hasSystem: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "outcome" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "interrupt" as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      at: fc.nat(3),
      allows: fc.boolean(),
      hasSystem: fc.boolean(),
    }),
  },
);
const thread: fc.Arbitrary<Case> = fc.record({
  hasHands: fc.boolean(),
  acts: fc.array(act, { minLength: 5, maxLength: 60 }),
  answers: fc.array(answer, { maxLength: 30 }),
  deaths: fc.array(fc.boolean(), { maxLength: 10 }),
  grades: fc.array(
    fc.constantFrom("satisfied", "needs_revision", "failed", "max_iterations_reached"),
    {
      maxLength: 5,
    },
  ),
});

function driven(given: Case, look: (next: NextStep, state: ThreadState) => void = () => {}) {
  const driver = drive(given, look);
  for (const one of given.acts) driver.act(one);
  driver.settle();
  return driver;
}
const always = (claim: (given: Case) => void) => fc.assert(fc.property(thread, claim), { numRuns });

const foldOf = (
  log: readonly LoggedEvent[],
  from: ThreadState = emptyThread("sthr_1"),
): ThreadState => log.reduce((state, event) => step(state, event), from);

/** One line for each thing that the model is shown. */
const linesOf = (turns: readonly Turn[]): string[] =>
  turns.flatMap(({ role, content }) => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return blocks.map((block) => {
      if (block.type === "tool_use") return `${role} calls ${String(block["id"])}`;
      if (block.type !== "tool_result") return `${role} ${String(block["text"])}`;
      const [said] = block["content"] as { text: string }[];
      return `${role} result of ${String(block["tool_use_id"])}: ${said?.text ?? ""}`;
    });
  });

type Data = Record<string, unknown> & { type: string };
const dataOf = ({ event }: LoggedEvent) => event as Data;
const wordsOf = (content: unknown) =>
  (content as { type: string; text: string; id: string }[]).map((block) =>
    block.type === "text" ? block.text : `calls ${block.id}`,
  );

/**
 * What the model is shown, read off the log by its rules: slow, and with no state but the lines. Every result is looked
 * for in all of the log.
 */
function referenceOf(log: readonly LoggedEvent[]): string[] {
  const byId = new Map(log.map((each) => [each.id, dataOf(each)]));
  const firstResult = (id: string, before: number) =>
    log
      .slice(0, before)
      .map(dataOf)
      .find((data) => data["tool_use_id"] === id && "content" in data) ??
    log
      .slice(0, before)
      .map(dataOf)
      .find((data) => data["custom_tool_use_id"] === id);
  let lines: string[] = [];
  let turn: { before: number; flushed: string[]; isHopeless: boolean } | undefined;
  let round: { ids: string[]; blocks: string[] } | undefined;
  let asides: string[] = [];
  const closeRound = (at: number) => {
    for (const [index, id] of round?.ids.entries() ?? []) {
      const [said = ""] = wordsOf(firstResult(id, at)?.["content"] ?? []);
      lines.push(`user result of ${round?.blocks[index]}: ${said}`);
    }
    lines.push(...asides.splice(0));
    round = undefined;
  };
  const inputLine = (id: string): string[] => {
    const data = byId.get(id) ?? assert.fail(id);
    if (data.type === "user.define_outcome")
      return [
        `user Work until this outcome is reached, then say what you have done:\n\n${String(data["description"])}`,
      ];
    const role = data.type === "system.message" ? "system" : "user";
    return wordsOf(data["content"]).map((words) => `${role} ${words}`);
  };
  for (const [at, each] of log.entries()) {
    const data = dataOf(each);
    const before = at === 0 ? undefined : dataOf(log[at - 1] ?? each);
    if (
      data.type === "system.message" &&
      round !== undefined &&
      before?.type.endsWith("result") === true
    )
      asides.push(...wordsOf(data["content"]).map((words) => `system ${words}`));
    if (data.type === "internal.turn_started")
      turn = { before: lines.length, flushed: [], isHopeless: false };
    // What waits is not of the turn that it waits for, and comes behind the results of calls.
    if (data.type === "internal.inputs_flushed") closeRound(at);
    if (data.type === "internal.turn_started" || data.type === "internal.inputs_flushed") {
      const said = (data["inputs"] as string[]).flatMap(inputLine);
      lines.push(...said);
      if (data.type === "internal.inputs_flushed") turn?.flushed.push(...said);
    }
    if (data.type === "internal.model_failed" && turn !== undefined)
      turn.isHopeless = data["is_transient"] === false;
    if (data.type === "internal.model_answered") {
      closeRound(at);
      const words = wordsOf(data["content"]);
      lines.push(...words.map((said) => `assistant ${said}`));
      const blocks = words.filter((said) => said.startsWith("calls ")).map((said) => said.slice(6));
      if (blocks.length > 0) round = { ids: data["calls"] as string[], blocks };
    }
    if (data.type === "internal.context_compacted") {
      closeRound(at);
      lines = [`user ${String(data["summary"])}`];
      if (turn !== undefined) turn.before = 1;
    }
    if (data.type === "internal.outcome_graded")
      lines.push(...revisionOf(data, isOutcomeOpen(log, at)));
    const reason = (data["stop_reason"] as { type?: string } | undefined)?.type;
    if (data.type !== "session.thread_status_idle" || reason === "requires_action") continue;
    closeRound(at);
    if (turn !== undefined && (reason === "refusal" || turn.isHopeless))
      lines = [...lines.slice(0, turn.before), ...turn.flushed];
    turn = undefined;
  }
  closeRound(log.length);
  return lines;
}

/** Whether the outcome that is graded here had its turn, and was not at its end before. */
const isOutcomeOpen = (log: readonly LoggedEvent[], at: number): boolean => {
  const id = dataOf(log[at] ?? assert.fail())["outcome_id"];
  return !log
    .slice(0, at)
    .map(dataOf)
    .some(
      (data) =>
        data.type === "internal.outcome_graded" &&
        data["outcome_id"] === id &&
        data["result"] !== "needs_revision",
    );
};

function revisionOf({ result, explanation }: Data, isOpen: boolean): string[] {
  const next = {
    needs_revision: "Revise your work, then say what you have changed.",
    max_iterations_reached: "There is no further round: say where the work stands and end here.",
  }[String(result)];
  return next === undefined || !isOpen
    ? []
    : [`user The outcome is not reached yet. ${String(explanation)}\n\n${next}`];
}

test("fold: what the model is shown is what the rules say of the log", () =>
  always((given) => {
    const { state, log } = driven(given);
    assert.deepEqual(linesOf(shownTurns(state)), referenceOf(log));
  }));

test("fold: from a snapshot on it is the same as from the beginning", () =>
  fc.assert(
    fc.property(thread, fc.double({ min: 0, max: 1, noNaN: true }), (given, part) => {
      const { state, log } = driven(given);
      const cut = Math.floor(log.length * part);
      const snapshot = JSON.parse(JSON.stringify(foldOf(log.slice(0, cut)))) as ThreadState;
      assert.deepEqual(foldOf(log.slice(cut), snapshot), state);
    }),
    { numRuns },
  ));

test("next: no model is asked while calls are open, and no turn begins while one runs", () =>
  always((given) => {
    driven(given, (next, { calls, turn, waiting, isInterrupted }) => {
      if (next.do === "ask_model" || next.do === "compact" || next.do === "grade") {
        assert.notEqual(turn, null);
        assert.ok(calls.every(({ result }) => result !== null));
        assert.equal(isInterrupted, false);
      }
      if (next.do !== "start_turn") return;
      assert.equal(turn, null);
      assert.deepEqual(calls, []);
      assert.equal(next.inputs[0], waiting[0]);
    });
  }));

test("next: a call is run once, and only with the word of who may say it", () =>
  always((given) => {
    const run = new Set<string>();
    driven(given, (next) => {
      if (next.do !== "run_tool") return;
      const { call } = next;
      assert.ok(!run.has(call.id), `${call.id} is run a second time`);
      run.add(call.id);
      assert.equal(call.kind, "built_in");
      assert.ok(call.permission === "allow" || call.confirmation?.result === "allow");
    });
  }));

test("next: every input is taken once, in the order of sending but for what an interrupt overtook", () =>
  always((given) => {
    const { state, log } = driven(given);
    const sent = log.filter(({ event }) =>
      ["user.message", "user.define_outcome"].includes(event.type),
    );
    const taken = log.flatMap((each) => (dataOf(each)["inputs"] as string[] | undefined) ?? []);
    const inputs = new Set(sent.map(({ id }) => id));
    assert.deepEqual(
      taken.filter((id) => inputs.has(id)),
      sent.map(({ id }) => id),
    );
    assert.equal(new Set(taken).size, taken.length);
    assert.deepEqual([state.waiting, state.overtaken, state.calls, state.turn], [[], [], [], null]);
    assert.notEqual(state.status, "running");
  }));

test("prompt: the engine takes it, no turn follows its like, and it has at most four marks", () =>
  always((given) => {
    driven(given, (next, state) => {
      if (next.do !== "ask_model") return;
      const body = promptOf(shownTurns(state), {
        model: large.id,
        system: ["You are told this.", "And this."],
        tools: [{ name: "tool", description: "A tool.", input_schema: { type: "object" } }],
        effort: null,
        speed: "standard",
        inferenceGeo: null,
        maxTokens: 1_000,
      });
      assert.equal(
        validateBody(body, { model: large })?.message,
        undefined,
        JSON.stringify(body.messages),
      );
      const roles = body.messages.map(({ role }) => role);
      for (const [at, role] of roles.entries())
        // What the system says twice stays two turns; of the others none follows its like.
        assert.ok(role === "system" || role !== roles[at - 1], JSON.stringify(body.messages));
      assert.equal(
        roles.findLast((role) => role !== "system"),
        "user",
      );
      assert.ok(body.messages.every(({ content }) => content.length > 0));
      const marks = JSON.stringify(body).match(/"cache_control"/g) ?? [];
      assert.ok(marks.length >= 2 && marks.length <= 4, `${marks.length} marks`);
    });
  }));
