// What a client carries from one round of a call to the next: signed, and good for that call alone.
import { createHash } from "node:crypto";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { orderedJson } from "../../kernel/base/ordered-json.ts";
import type { Context } from "../../kernel/context.ts";
import type { Turn } from "./caller.ts";
import { endpointSettings } from "./settings.ts";

/** A call of a tool. */
export interface ToolCall {
  name: string;
  input: Record<string, unknown>;
}

interface State extends Turn {
  until: number;
  call: string;
}

const purpose = "state of an MCP request";

/** Rule MCE24. Signed under the active key, and opened under any that the server still has. */
export function makeRequestState(context: Context, call: ToolCall, turn: Turn): string {
  const until = context.clock.now().getTime() + endpointSettings(context).requestStateMs;
  const state: State = { ...turn, until, call: fingerprint(context, call) };
  return context.secrets.sign(state, purpose);
}

export function openRequestState(context: Context, call: ToolCall, given: string): Turn {
  const state = context.secrets.verify(given, purpose) as State | undefined;
  const isGood =
    state !== undefined &&
    state.call === fingerprint(context, call) &&
    state.until > context.clock.now().getTime();
  if (!isGood)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      "requestState is not one that this server gave for this call, or it has expired; make the call anew.",
      { reason: "invalid_request_state" },
    );
  return { session_id: state.session_id, sent_id: state.sent_id };
}

/** Of the workspace, the tool and its arguments, in whichever order they came. */
function fingerprint({ who }: Context, { name, input }: ToolCall): string {
  const text = orderedJson([who.organizationId, who.workspaceId, name, input]);
  return createHash("sha256").update(text).digest("base64url");
}
