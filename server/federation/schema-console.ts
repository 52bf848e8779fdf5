// Shapes that only the console has: the test of a token, and refused exchanges.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";
import { Id, NullableString } from "./accounts/schema.ts";

export const TestRule = closed({
  assertion: Type.String({ minLength: 1, maxLength: 2 * limits.assertionCharactersMax }),
  workspace_id: Type.Optional(Id),
});
export type TestRule = Static<typeof TestRule>;

export const RuleTest = Type.Object(
  {
    type: Type.Literal("federation_rule_test"),
    passed: Type.Boolean(),
    checks: Type.Array(
      Type.Object({
        name: Type.String(),
        title: Type.String(),
        state: Type.Enum(["passed", "failed", "skipped"]),
        detail: NullableString,
      }),
    ),
    claims: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
    workspace_id: NullableString,
    expires_in: Type.Union([Type.Integer(), Type.Null()]),
  },
  { $id: "FederationRuleTest" },
);
export type RuleTest = Static<typeof RuleTest>;

export const Refusals = Type.Object({
  data: Type.Array(
    Type.Object(
      {
        type: Type.Literal("federation_refusal"),
        id: Type.String(),
        at: Type.String({ format: "date-time" }),
        address: Type.String(),
        reason: Type.String(),
        sentence: Type.String(),
        subject: NullableString,
      },
      { $id: "FederationRefusal" },
    ),
  ),
});
