// Shapes of messages for the documents: what is checked in full is checked by the rules of this noun.
import Type from "typebox";
import { CountShape, MessageShape } from "./validate/shape.ts";

/** The documents name a block's kind and leave its fields to MESSAGES.md: spelled out they would fill a megabyte. */
const Block = Type.Object({ type: Type.String() }, { $id: "ContentBlock" });
const Content = Type.Union([Type.String(), Type.Array(Block)]);
const Turn = Type.Object(
  { role: Type.Enum(["user", "assistant", "system"]), content: Content },
  { $id: "MessageTurn" },
);
const Tool = Type.Object(
  {
    name: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    input_schema: Type.Optional(Type.Object({})),
  },
  { $id: "MessageTool" },
);
const shown = {
  messages: Type.Array(Turn, { minItems: 1 }),
  system: Type.Optional(Content),
  tools: Type.Optional(Type.Array(Tool)),
};
const Thread = Type.Union(
  [
    Type.Object({ type: Type.Literal("create") }),
    Type.Object({ type: Type.Literal("continue"), previous_message_id: Type.String() }),
    Type.Null(),
  ],
  { $id: "MessageThread" },
);
const Fallback = Type.Object({ model: Type.String() }, { $id: "FallbackEntry" });

export const MessageRequest = Type.Object(
  {
    ...MessageShape.properties,
    ...shown,
    fallbacks: Type.Optional(
      Type.Union([Type.Literal("default"), Type.Array(Fallback, { minItems: 1, maxItems: 3 })]),
    ),
    thread: Type.Optional(Thread),
    fallback_credit_token: Type.Optional(
      Type.Union([
        Type.String(),
        Type.Object({
          token: Type.String(),
          mode: Type.Optional(Type.Enum(["strict", "best_effort"])),
        }),
      ]),
    ),
  },
  { $id: "MessageRequest" },
);
export const CountRequest = Type.Object(
  { ...CountShape.properties, ...shown },
  { $id: "CountRequest" },
);

export const MessageReply = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("message"),
    role: Type.Literal("assistant"),
    model: Type.String(),
    content: Type.Array(Block),
    stop_reason: Type.Union([Type.String(), Type.Null()]),
    stop_sequence: Type.Union([Type.String(), Type.Null()]),
    stop_details: Type.Union([Type.Object({ type: Type.Literal("refusal") }), Type.Null()]),
    usage: Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() }),
  },
  { $id: "Message" },
);

export const TokenCount = Type.Object({
  input_tokens: Type.Integer(),
  context_management: Type.Optional(
    Type.Union([Type.Object({ original_input_tokens: Type.Integer() }), Type.Null()]),
  ),
});
