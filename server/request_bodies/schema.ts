// Shapes of kept bodies, and of what a workspace says of them.
import Type, { type Static } from "typebox";
import { worded } from "../../kernel/base/patterns.ts";
import { closed } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";

const Time = Type.String({ format: "date-time" });
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);
const optional = Type.Optional;

const Rule = Type.Union([
  closed({ type: Type.Enum(["email", "phone", "card_number"]) }),
  closed({
    type: Type.Literal("field"),
    /** Names with dots between them, the last ones of the way to a field; `[]` for each item of a list. */
    field: Type.String({
      maxLength: limits.fieldCharactersMax,
      ...worded(
        "^[^.\\[\\]\\s]+(\\[\\])*([.][^.\\[\\]\\s]+(\\[\\])*)*$",
        "must be names with dots between them, such as metadata.user_id or tools[].name",
      ),
    }),
  }),
  closed({
    type: Type.Literal("word"),
    /** As it is written, without case. */
    word: Type.String({
      minLength: limits.wordCharactersMin,
      maxLength: limits.wordCharactersMax,
    }),
  }),
]);
export type RedactRule = Static<typeof Rule>;
const Rules = Type.Array(Rule, { maxItems: limits.rulesMax });

export const UpdateSettings = closed({
  enabled: optional(Type.Boolean()),
  /** Of a request, and of its answer. */
  max_bytes: optional(Type.Integer({ minimum: limits.bytesMin, maximum: limits.bytesMax })),
  kept_days: optional(Type.Integer({ minimum: 1, maximum: limits.keptDaysMax })),
  redact: optional(Rules),
});
export type UpdateSettings = Static<typeof UpdateSettings>;

export const Settings = Type.Object(
  {
    type: Type.Literal("request_body_settings"),
    workspace_id: Type.String(),
    enabled: Type.Boolean(),
    max_bytes: Type.Integer(),
    kept_days: Type.Integer(),
    redact: Rules,
    /** What came before has been deleted. */
    kept_since: nullable(Time),
  },
  { $id: "RequestBodySettings" },
);
export type Settings = Static<typeof Settings>;

export const Deleted = Type.Object(
  {
    type: Type.Literal("request_bodies_deleted"),
    workspace_id: Type.String(),
    /** What is left over goes in the background, and is not shown any more. */
    deleted: Type.Integer(),
  },
  { $id: "RequestBodiesDeleted" },
);

export const BodyPath = closed({ request_id: Type.String({ minLength: 1, maxLength: 64 }) });

const Part = Type.Object({
  /** JSON, or the beginning of it; null where it was too long to be looked through. */
  text: nullable(Type.String()),
  is_cut: Type.Boolean(),
  /** As it came, before anything was taken out or cut. */
  bytes: Type.Integer(),
});

export const RequestBody = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("request_body"),
    at: Time,
    /** It is deleted then. */
    expires_at: Time,
    workspace_id: Type.String(),
    /** Null: too much was waiting to be written, and this was not kept. */
    request: nullable(Part),
    /** The message as the client got it, as far as it got it. */
    answer: nullable(Part),
    /** The error that the client was told. */
    error: nullable(Part),
    /** How the answer ended; null where nothing was kept. */
    ended: nullable(Type.Enum(["complete", "failed", "client_left"])),
  },
  { $id: "RequestBody" },
);
export type RequestBody = Static<typeof RequestBody>;
