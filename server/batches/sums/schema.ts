// Shapes of what batches cost and took.
import Type, { type Static } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { limits } from "../limits.ts";

export const TotalsQuery = closed({
  ids: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    minItems: 1,
    maxItems: limits.totalsAskedMax,
  }),
});
export type TotalsQuery = Static<typeof TotalsQuery>;

export const BatchTotals = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("message_batch_totals"),
    creator: Type.Object({
      type: Type.Enum(["user", "service_account", "api_key"]),
      id: Type.String(),
      /** Null where there is none of that id any more. */
      name: Type.Union([Type.String(), Type.Null()]),
    }),
    /** How many of those that succeeded are refusals. */
    refused: Type.Integer(),
    /** In cents; null for batches that ended before this was kept. */
    spent: Type.Union([
      Type.Object({
        amount: Type.String(),
        list_amount: Type.String(),
        currency: Type.String(),
        input_tokens: Type.Integer(),
        output_tokens: Type.Integer(),
        cache_write_tokens: Type.Integer(),
        cache_read_tokens: Type.Integer(),
      }),
      Type.Null(),
    ]),
    /** The dearest first. */
    models: Type.Array(
      Type.Object({
        model: Type.String(),
        attempts: Type.Integer(),
        amount: Type.String(),
        input_tokens: Type.Integer(),
        output_tokens: Type.Integer(),
      }),
    ),
  },
  { $id: "BatchTotals" },
);
export type BatchTotals = Static<typeof BatchTotals>;
export const TotalsReply = Type.Object({ data: Type.Array(BatchTotals) });
