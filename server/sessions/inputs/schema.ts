// Shapes of the events that clients send.
import Type, { type Static, type TSchema } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { worded } from "../../../kernel/base/patterns.ts";
import { limits } from "../limits.ts";
import { Id, nullable, optional } from "../shapes.ts";

const Text = closed({ type: Type.Literal("text"), text: Type.String({ minLength: 1 }) });
/** What is said to a model holds more than blanks: it would be refused when its turn comes. */
const notBlank = worded("\\S", "must not be empty or blank");
const SaidText = closed({ type: Type.Literal("text"), text: Type.String(notBlank) });
const base64 = <T extends TSchema>(mediaType: T) =>
  closed({
    type: Type.Literal("base64"),
    media_type: mediaType,
    data: Type.String({ minLength: 1 }),
  });
const Url = closed({
  type: Type.Literal("url"),
  url: Type.String({ minLength: 1, maxLength: limits.urlCharactersMax }),
});
const File = closed({ type: Type.Literal("file"), file_id: Id });
const PlainText = closed({
  type: Type.Literal("text"),
  media_type: Type.Literal("text/plain"),
  data: Type.String({ minLength: 1 }),
});
const Image = closed({
  type: Type.Literal("image"),
  source: Type.Union([
    base64(Type.Enum(["image/jpeg", "image/png", "image/gif", "image/webp"])),
    Url,
    File,
  ]),
});
const Document = closed({
  type: Type.Literal("document"),
  source: Type.Union([base64(Type.Literal("application/pdf")), PlainText, Url, File]),
  title: optional(nullable(Type.String({ maxLength: 500 }))),
  context: optional(nullable(Type.String())),
});
const SearchResult = closed({
  type: Type.Literal("search_result"),
  source: Type.String(),
  title: Type.String(),
  content: Type.Array(Text, { minItems: 1 }),
  citations: optional(closed({ enabled: Type.Boolean() })),
});
const Redacted = closed({ type: Type.Literal("redacted") });

const MessageContent = Type.Array(Type.Union([SaidText, Image, Document, Redacted]), {
  minItems: 1,
  maxItems: limits.contentBlocksMax,
});
const ResultContent = optional(
  nullable(
    Type.Array(Type.Union([Text, Image, Document, SearchResult]), {
      maxItems: limits.contentBlocksMax,
    }),
  ),
);
const IsError = optional(nullable(Type.Boolean()));

const UserMessage = closed({ type: Type.Literal("user.message"), content: MessageContent });
const DefineOutcome = closed({
  type: Type.Literal("user.define_outcome"),
  description: Type.String({ ...notBlank, maxLength: limits.outcomeCharactersMax }),
  rubric: Type.Union([
    closed({
      type: Type.Literal("text"),
      content: Type.String({ ...notBlank, maxLength: limits.rubricCharactersMax }),
    }),
    closed({ type: Type.Literal("file"), file_id: Id }),
  ]),
  max_iterations: optional(nullable(Type.Integer({ minimum: 1, maximum: limits.iterationsMax }))),
});

const SystemMessage = closed({
  type: Type.Literal("system.message"),
  content: Type.Array(SaidText, { minItems: 1, maxItems: limits.contentBlocksMax }),
});

export const InitialEvent = Type.Union([UserMessage, DefineOutcome]);
/** What a deployment tells each of its sessions. */
export const OpeningEvent = Type.Union([UserMessage, DefineOutcome, SystemMessage]);

export const ClientEventInput = Type.Union([
  UserMessage,
  DefineOutcome,
  closed({ type: Type.Literal("user.interrupt"), session_thread_id: optional(nullable(Id)) }),
  closed({
    type: Type.Literal("user.tool_confirmation"),
    tool_use_id: Id,
    result: Type.Enum(["allow", "deny"]),
    deny_message: optional(nullable(Type.String({ maxLength: 10_000 }))),
  }),
  closed({
    type: Type.Literal("user.tool_result"),
    tool_use_id: Id,
    content: ResultContent,
    is_error: IsError,
  }),
  closed({
    type: Type.Literal("user.custom_tool_result"),
    custom_tool_use_id: Id,
    content: ResultContent,
    is_error: IsError,
  }),
  SystemMessage,
]);
export type ClientEventInput = Static<typeof ClientEventInput>;

export const SendEvents = closed({
  events: Type.Array(ClientEventInput, { minItems: 1, maxItems: limits.eventsPerRequestMax }),
});
export type SendEvents = Static<typeof SendEvents>;
