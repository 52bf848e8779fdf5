// What the params of requests must be: what does not fit is told in a sentence, as `-32602`. By themselves the
// packages say `-32603`, with all that their own check found.
import Type, { type Static, type TSchema } from "typebox";
import {
  isJSONRPCRequest,
  ProtocolErrorCode,
  type StandardSchemaV1Sync,
} from "@modelcontextprotocol/server";
import { invalid } from "../../../kernel/base/failure.ts";
import { checker } from "../../../kernel/http/validate/validate.ts";
import { logLevels } from "../log-levels.ts";
import { methodOf, noMessage } from "../message.ts";

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
export const levelParams = paramsOf(Type.Object({ level: Type.Enum([...logLevels]) }, open));
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

const Fields = Type.Object({}, open);
/** Of these requests the packages check the params by themselves, before any handler does. */
const checks = {
  "tools/call": checker(
    Type.Object({ name: Type.String(), arguments: Type.Optional(Fields) }, open),
    "params",
  ),
  // Of answers of another shape the packages would say nothing, and the client take them for given.
  "tasks/update": checker(
    Type.Object(
      {
        taskId: Type.String(),
        inputResponses: Type.Record(Type.String(), Type.Object({ action: Type.String() }, open)),
      },
      open,
    ),
    "params",
  ),
  initialize: checker(
    Type.Object(
      {
        protocolVersion: Type.String(),
        capabilities: Fields,
        clientInfo: Type.Object({ name: Type.String(), version: Type.String() }, open),
      },
      open,
    ),
    "params",
  ),
};

/** The answer to a request of that method whose params do not fit. */
export function refusedParams(method: keyof typeof checks, message: unknown): Response | undefined {
  if (methodOf(message) !== method || !isJSONRPCRequest(message)) return undefined;
  const { id, params = {} } = message;
  const refused = checks[method](params);
  if (refused === undefined) return undefined;
  const words = `Invalid params for ${method}: ${refused.message}`;
  const error = { code: ProtocolErrorCode.InvalidParams, message: words };
  return Response.json({ jsonrpc: "2.0", id, error });
}

/** What the revisions since 2026-07-28 refuse: several messages in one, and answers of a task in another shape. */
export function refusedSince(message: unknown): Response | undefined {
  if (Array.isArray(message))
    throw invalid("The body holds a list of messages; send one at a time.", { code: noMessage });
  return refusedParams("tasks/update", message);
}
