// Turns written beforehand, in a file or in the settings: they steer the simulator without touching prompts.
import Type, { type Static } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { refusalCategories } from "../types.ts";
import type { SteeredConversation } from "../simulator/conversation.ts";
import {
  defaultRefusers,
  gradeResults,
  numberMax,
  stopReasons,
  type Script,
} from "./directives.ts";

const count = Type.Optional(Type.Integer({ minimum: 0, maximum: numberMax }));

/** One answer, for the turn that it names by position or by a part of its text; for any turn without. */
export const ScenarioTurn = closed({
  /** 1 is the first user turn that has text. */
  turn: Type.Optional(Type.Integer({ minimum: 1 })),
  contains: Type.Optional(Type.String({ minLength: 1 })),
  say: Type.Optional(Type.String()),
  tokens: count,
  rate: Type.Optional(Type.Integer({ minimum: 1, maximum: numberMax })),
  think: count,
  tools: Type.Optional(
    Type.Array(
      closed({
        name: Type.String({ minLength: 1 }),
        input: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
    ),
  ),
  refuse: Type.Optional(
    closed({
      category: Type.Optional(Type.Union([Type.Enum([...refusalCategories]), Type.Null()])),
      models: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })),
      after: count,
    }),
  ),
  fail: Type.Optional(
    closed({
      status: Type.Integer({ minimum: 400, maximum: 599 }),
      times: count,
      after: count,
      retry_after: count,
    }),
  ),
  stop: Type.Optional(Type.Enum([...stopReasons])),
  grade: Type.Optional(
    closed({ result: Type.Enum([...gradeResults]), explanation: Type.String() }),
  ),
});
export type ScenarioTurn = Static<typeof ScenarioTurn>;

export const Scenario = Type.Array(ScenarioTurn, { maxItems: 10_000 });
export type Scenario = readonly ScenarioTurn[];

/** The first turn that fits; the conversation's own directives where none does. */
export function scriptFor(
  scenario: Scenario,
  { script, rawPrompt, position }: SteeredConversation,
): Script {
  const found = scenario.find(
    ({ turn, contains }) =>
      (turn === undefined || turn === position) &&
      (contains === undefined || rawPrompt.includes(contains)),
  );
  return found === undefined ? script : toScript(found);
}

function toScript(scenarioTurn: ScenarioTurn): Script {
  const { turn: _, contains: __, refuse, fail, tools = [], ...rest } = scenarioTurn;
  const { after, category = null, models = defaultRefusers } = refuse ?? {};
  const { retry_after: retryAfter, ...failure } = fail ?? { status: 529 };
  return {
    ...rest,
    tools: tools.map(({ name, input = {} }) => [{ name, input }]),
    refuse:
      refuse === undefined
        ? []
        : [{ category, models, ...(after !== undefined && after > 0 && { after }) }],
    fail:
      fail === undefined ? [] : [{ ...failure, ...(retryAfter !== undefined && { retryAfter }) }],
  };
}
