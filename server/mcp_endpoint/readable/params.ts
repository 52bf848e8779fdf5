// What the params of requests must be: what does not fit is told in a sentence, as `-32602`. By themselves the
// packages say `-32603`, with all that their own check found.
import Type, { type Static, type TSchema } from "typebox";
import {
  isJSONRPCRequest,
  ProtocolErrorCode,
  type StandardSchemaV1Sync,
} from "@modelcontextprotocol/server";
import { checker } from "../../../kernel/http/validate/validate.ts";

/** Requests carry more than their method asks for, such as `_meta`. */
const open = { additionalProperties: true };
const Texts = Type.Record(Type.String(), Type.String());

const paramsOf = <Schema extends TSchema>(
  schema: Schema,
): { params: StandardSchemaV1Sync<Static<Schema>, Static<Schema>> } => {
  const check = checker(schema, "params");
  const validate = (value: unknown) => {
    const refused = check(value);
    if (refused !== undefined) return { issues: [{ message: refused.message }] };
    return { value: value as Static<Schema> };
  };
  return { params: { "~standard": { version: 1, vendor: "plinth", validate } } };
};

export const listParams = paramsOf(Type.Object({ cursor: Type.Optional(Type.String()) }, open));
export const levels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;
export const levelParams = paramsOf(Type.Object({ level: Type.Enum([...levels]) }, open));
export const uriParams = paramsOf(Type.Object({ uri: Type.String() }, open));
export const promptParams = paramsOf(
  Type.Object({ name: Type.String(), arguments: Type.Optional(Texts) }, open),
);
export const completeParams = paramsOf(
  Type.Object(
    {
      ref: Type.Union([
        Type.Object({ type: Type.Literal("ref/prompt"), name: Type.String() }, open),
        Type.Object({ type: Type.Literal("ref/resource"), uri: Type.String() }, open),
      ]),
      argument: Type.Object({ name: Type.String(), value: Type.String() }, open),
      context: Type.Optional(Type.Object({ arguments: Type.Optional(Texts) }, open)),
    },
    open,
  ),
);

const checkCall = checker(
  Type.Object({ name: Type.String(), arguments: Type.Optional(Type.Object({}, open)) }, open),
  "params",
);

/** The answer to a call of a tool whose params do not fit: those the packages check before any handler does. */
export function refusedCall(message: unknown): Response | undefined {
  if (!isJSONRPCRequest(message) || message.method !== "tools/call") return undefined;
  const refused = checkCall(message.params ?? {});
  if (refused === undefined) return undefined;
  const error = {
    code: ProtocolErrorCode.InvalidParams,
    message: `Invalid params for ${message.method}: ${refused.message}`,
  };
  return Response.json({ jsonrpc: "2.0", id: message.id, error });
}
