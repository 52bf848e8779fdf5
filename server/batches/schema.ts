// Shapes of batches.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery, idPage, idQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { limits } from "./limits.ts";

export const resultTypes = ["succeeded", "errored", "canceled", "expired"] as const;
export type ResultType = (typeof resultTypes)[number];
/** Of a result: its type, but that a refusal is told apart from what was answered. */
export const outcomes = ["succeeded", "refused", "errored", "canceled", "expired"] as const;
export type Outcome = (typeof outcomes)[number];
export type Tally = Record<ResultType, number>;

const NullableTime = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);

/** For the documents: the body is read as it comes, by `intake/envelope-reader.ts`. */
export const CreateBatch = closed({
  requests: Type.Array(
    closed({
      custom_id: Type.String({
        ...worded("^[a-zA-Z0-9_-]{1,64}$", "must have 1 to 64 letters, digits, _ and - only"),
      }),
      params: Type.Object({}, { description: "A message request, as of `POST /v1/messages`." }),
    }),
    { minItems: 1, maxItems: limits.requestsMax },
  ),
});

export const MessageBatch = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("message_batch"),
    processing_status: Type.Enum(["in_progress", "canceling", "ended"]),
    request_counts: Type.Object({
      processing: Type.Integer(),
      succeeded: Type.Integer(),
      errored: Type.Integer(),
      canceled: Type.Integer(),
      expired: Type.Integer(),
    }),
    created_at: Type.String({ format: "date-time" }),
    expires_at: Type.String({ format: "date-time" }),
    ended_at: NullableTime,
    cancel_initiated_at: NullableTime,
    archived_at: NullableTime,
    results_url: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: "MessageBatch" },
);
export type MessageBatch = Static<typeof MessageBatch>;

export const BatchParams = closed({
  message_batch_id: Type.String({ minLength: 1, maxLength: 100 }),
});
export const BatchQuery = closed(idQuery);
export type BatchQuery = Static<typeof BatchQuery>;
export const BatchPage = idPage(MessageBatch);

/** Of the file of results. */
export const ResultLine = Type.Object(
  {
    custom_id: Type.String(),
    result: Type.Union([
      Type.Object({
        type: Type.Literal("succeeded"),
        message: Type.Object({ id: Type.String(), type: Type.Literal("message") }),
      }),
      Type.Object({
        type: Type.Literal("errored"),
        error: Type.Object({
          type: Type.Literal("error"),
          error: Type.Object({ type: Type.String(), message: Type.String() }),
          request_id: Type.Union([Type.String(), Type.Null()]),
        }),
      }),
      Type.Object({ type: Type.Literal("canceled") }),
      Type.Object({ type: Type.Literal("expired") }),
    ]),
  },
  { $id: "MessageBatchResultLine" },
);

export const DeletedBatch = Type.Object(
  { id: Type.String(), type: Type.Literal("message_batch_deleted") },
  { $id: "DeletedMessageBatch" },
);

export const ResultQuery = closed({
  ...cursorQuery,
  outcome: Type.Optional(Type.Array(Type.Enum(outcomes))),
  /** What the custom id holds. */
  search: Type.Optional(
    Type.String({
      maxLength: limits.customIdCharactersMax,
      ...worded("^[a-zA-Z0-9_-]*$", "must have letters, digits, _ and - only"),
    }),
  ),
  /** The whole of it: to show one result, wherever it stands. */
  custom_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.customIdCharactersMax,
      ...worded("^[a-zA-Z0-9_-]*$", "must have letters, digits, _ and - only"),
    }),
  ),
});
export type ResultQuery = Static<typeof ResultQuery>;

export const BatchResult = Type.Object(
  {
    custom_id: Type.String(),
    /** The request's position in the batch, from 0. */
    index: Type.Integer(),
    /** As it stands in the results; null where it is too long to be shown. */
    result: Type.Union([Type.Object({ type: Type.Enum(resultTypes) }), Type.Null()]),
    type: Type.Enum(resultTypes),
    outcome: Type.Enum(outcomes),
    bytes: Type.Integer(),
  },
  { $id: "BatchResult" },
);
export const ResultPage = cursorPage(BatchResult);
