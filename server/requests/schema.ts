// Shapes of the request log.
import Type, { type Static } from "typebox";
import { worded } from "../../kernel/base/patterns.ts";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";

const Filter = Type.Optional(Type.String({ minLength: 1, maxLength: limits.filterCharactersMax }));
const Time = Type.String({ format: "date-time" });
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);

const origins = Type.Enum(["api", "batch", "console", "session"]);

const filters = {
  /** `ok`, `error`, a class such as `5xx`, or a number. */
  status: Type.Optional(
    Type.String(
      worded(
        "^(ok|error|[2-5]xx|[2-5][0-9][0-9])$",
        "must be ok, error, 4xx, 5xx or a number such as 429",
      ),
    ),
  ),
  /** That answered; where none did, that was asked for. */
  model: Filter,
  /** That answered, or was asked last. */
  upstream: Filter,
  /** The key, token or sign-in that asked. */
  credential_id: Filter,
  /** A person, or a service account. */
  user_id: Filter,
  workspace_id: Filter,
  session_id: Filter,
  batch_id: Filter,
  origin: Type.Optional(origins),
  operation: Filter,
  stop_reason: Filter,
  /** Another model answered than the first. */
  fell_back: Type.Optional(Type.Boolean()),
  /** From this many milliseconds on. */
  min_duration_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  /** In cents, as `cost.amount`. */
  min_cost: Type.Optional(
    Type.String(worded("^[0-9]{1,9}([.][0-9]{1,7})?$", "must be an amount in cents such as 2.5")),
  ),
  /** A text in the sentence of the error. */
  error: Filter,
  from: Type.Optional(Time),
  to: Type.Optional(Time),
};

export const RequestsQuery = closed({
  ...cursorQuery,
  ...filters,
  /** Instead of pages: what ended from this moment on, the earliest first, to follow the log. */
  ended_after: Type.Optional(Time),
});

export const RequestExportQuery = closed({
  format: Type.Union([Type.Literal("jsonl"), Type.Literal("csv")]),
  ...filters,
});

export const RequestPath = closed({ request_id: Type.String({ minLength: 1, maxLength: 64 }) });

const Attempt = Type.Object({
  model: Type.String(),
  upstream: Type.String(),
  /** It was asked whether the request may go through. */
  is_guard: Type.Boolean(),
  /** `served`, `declined`, `failed`, or `cut` where the client left; null where that is not known. */
  outcome: nullable(Type.String()),
  /** Why it did not serve. */
  why: nullable(Type.String()),
  /** Milliseconds since the request came. */
  start_ms: Type.Integer(),
  first_ms: nullable(Type.Integer()),
  end_ms: nullable(Type.Integer()),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cache_creation_input_tokens: Type.Integer(),
  cache_read_input_tokens: Type.Integer(),
  cost: Type.Object({ amount: Type.String(), currency: Type.Literal("USD") }),
});

export const LoggedRequest = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("request"),
    at: Time,
    ended_at: Time,
    origin: origins,
    operation: Type.String(),
    method: nullable(Type.String()),
    /** Of the address; of a tool's call, the tool. */
    path: nullable(Type.String()),
    workspace_id: nullable(Type.String()),
    credential_id: Type.String(),
    user_id: nullable(Type.String()),
    session_id: nullable(Type.String()),
    batch_id: nullable(Type.String()),
    /** Of a stream that failed in its middle, that of the error in its last event. */
    status: Type.Integer(),
    error: nullable(Type.Object({ type: Type.String(), message: Type.String() })),
    /** As it was asked for, and the one that answered. */
    model: nullable(Type.String()),
    served_model: nullable(Type.String()),
    upstream: nullable(Type.String()),
    fell_back: Type.Boolean(),
    stop_reason: nullable(Type.String()),
    usage: nullable(
      Type.Object({
        input_tokens: Type.Integer(),
        output_tokens: Type.Integer(),
        cache_creation_input_tokens: Type.Integer(),
        cache_read_input_tokens: Type.Integer(),
      }),
    ),
    /** In cents, exact. */
    cost: nullable(Type.Object({ amount: Type.String(), currency: Type.Literal("USD") })),
    /** Until the first word of the answer; null where it came whole. */
    first_token_ms: nullable(Type.Integer()),
    duration_ms: Type.Integer(),
    /** In the order in which they were made; none where no model was asked. */
    attempts: Type.Array(Attempt),
  },
  { $id: "LoggedRequest" },
);

const Page = cursorPage(LoggedRequest);
export const RequestsPage = Type.Object({
  ...Page.properties,
  /** How far back a search has looked that has not found enough for a page yet; null where all was seen. */
  searched_to: nullable(Time),
});

export type LoggedRequest = Static<typeof LoggedRequest>;
export type Attempt = Static<typeof Attempt>;
export type RequestExportQuery = Static<typeof RequestExportQuery>;
export type RequestsQuery = Static<typeof RequestsQuery>;
