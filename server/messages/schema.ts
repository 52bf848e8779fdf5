// Shapes of messages for the documents: what is checked in full is checked by the rules of this noun.
import Type from "typebox";
import { CountShape, MessageShape } from "./validate-shape.ts";

export { CountShape, MessageShape };

const Block = Type.Object({ type: Type.String() });

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
  context_management: Type.Optional(Type.Null()),
});
