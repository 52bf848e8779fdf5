// A request of a client, passed on to the server behind, and what comes back: a result, or what it wants to know.
import { createHash } from "node:crypto";
import {
  createRequestStateCodec,
  inputRequired,
  isSpecType,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequests,
  type LoggingLevel,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { orderedJson } from "../../kernel/base/ordered-json.ts";
import { withTableNames } from "../mcp_endpoint/module.ts";
import type { Call, Calls, PassedRequest, Questions, Round } from "./calls.ts";
import { faultOf } from "./faults.ts";
import type { Caller, QuestionMethod } from "./behind/session.ts";

export type FrontContext = Pick<ServerContext, "mcpReq">;

interface Settings {
  /** It is this bridge's alone: no other one has its calls. */
  key: Uint8Array;
  callMs: number;
  heldMs: number;
}

interface State {
  id: string;
  rounds: number;
  call: string;
}

/** The revision 2026-07-28 has a client asked in these. */
const asking = ["tools/call", "prompts/get", "resources/read"];

export function makePass(calls: Calls, settings: Settings) {
  const ttlSeconds = Math.ceil(settings.heldMs / 1_000) + 60;
  const states = createRequestStateCodec<State>({ key: settings.key, ttlSeconds });

  /** A call that was begun in an earlier round, and has its answers. */
  async function resume(caller: Caller, request: PassedRequest, { mcpReq }: FrontContext) {
    const state = await states
      .verify(String(mcpReq.requestState()), { mcpReq })
      .catch(() => undefined);
    if (state === undefined || state.call !== fingerprint(caller, request))
      throw badState(
        "requestState is not one that this bridge gave for this call: it is that of another, has expired, or the bridge was begun anew.",
      );
    const call = calls.waiting(state.id, state.rounds);
    if (call === undefined)
      throw badState("This call waits no longer: it was answered, or the time for that is over.");
    calls.goOn(call, readAnswers(call, mcpReq.inputResponses ?? {}));
    return call;
  }

  return async (caller: Caller, given: PassedRequest, context: FrontContext): Promise<object> => {
    const { mcpReq } = context;
    const request = withoutOurs(given);
    const mayAsk = asking.includes(request.method);
    const level = levelOf(mcpReq.envelope);
    const isOwn = mayAsk && (level !== undefined || Object.keys(caller.capabilities).length > 0);
    const isResumed = mayAsk && mcpReq.requestState() !== undefined;
    if (!isResumed && hasRefused(mcpReq.inputResponses)) return notOpened(request);
    const resumed = isResumed ? await resume(caller, request, context) : undefined;
    try {
      const call = resumed ?? (await calls.begin(caller, request, { isOwn, level }));
      const outcome = await call.next(roundOf(context));
      if ("result" in outcome) return outcome.result;
      const state = { id: call.id, rounds: call.rounds, call: fingerprint(caller, request) };
      return inputRequired({
        inputRequests: tabled(outcome.questions),
        requestState: await states.mint(state),
      });
    } catch (error) {
      if (mayAsk && isUrlError(error)) return askToOpen(error, caller, request);
      throw faultOf(error, request, settings);
    }
  };
}

const tabled = (questions: Questions): InputRequests =>
  Object.fromEntries(
    Object.entries(questions).map(([key, { method, params }]) => {
      const question = withoutOurs({ method, params: { ...params } });
      return [key, withTableNames(question)];
    }),
  ) as InputRequests;

/** The types do not know the key. */
const levelOf = (envelope: { [LOG_LEVEL_META_KEY]?: LoggingLevel } | undefined) =>
  envelope?.[LOG_LEVEL_META_KEY];

/** What is between two of client, bridge and server stays there; what is of a trace goes on. */
function withoutOurs({ method, params }: PassedRequest): PassedRequest {
  const { _meta, ...own } = params;
  const { progressToken: _, ...meta } = (_meta ?? {}) as Record<string, unknown>;
  return { method, params: Object.keys(meta).length === 0 ? own : { ...own, _meta: meta } };
}

function roundOf({ mcpReq }: FrontContext): Round {
  const progressToken = mcpReq._meta?.progressToken;
  const notify = (progress: object) =>
    mcpReq.notify({
      method: "notifications/progress",
      params: { ...progress, progressToken },
    });
  return {
    signal: mcpReq.signal,
    // A client that has gone is told nothing.
    progress:
      progressToken === undefined ? undefined : (progress) => void notify(progress).catch(() => {}),
    log: ({ level, data, logger }) => void mcpReq.log(level, data, logger).catch(() => {}),
  };
}

const fits = {
  "elicitation/create": isSpecType.ElicitResult,
  "sampling/createMessage": (answer: unknown) =>
    isSpecType.CreateMessageResult(answer) || isSpecType.CreateMessageResultWithTools(answer),
  "roots/list": isSpecType.ListRootsResult,
} satisfies Record<QuestionMethod, (answer: unknown) => boolean>;

/** What is left out is asked again. */
function readAnswers(call: Call, given: Record<string, unknown>): Record<string, object> {
  const asked = Object.entries(call.questions()).filter(([key]) => Object.hasOwn(given, key));
  for (const [key, { method }] of asked)
    if (!fits[method](given[key]))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `inputResponses.${key} is no answer to ${method}.`,
      );
  return Object.fromEntries(asked.map(([key]) => [key, given[key] as object]));
}

function fingerprint(caller: Caller, { method, params }: PassedRequest): string {
  const { _meta: _, ...own } = params;
  return createHash("sha256")
    .update(orderedJson([caller.holder, caller.authorization, method, own]))
    .digest("base64url");
}

const badState = (message: string) =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `${message} Make the call anew; whether it had an effect is not known.`,
    { reason: "invalid_request_state" },
  );

/** A server of the older revision that wants an address opened first, and the call made again after that. */
function askToOpen(
  { data: { elicitations } }: UrlError,
  { capabilities }: Caller,
  request: PassedRequest,
): object {
  if (capabilities.elicitation?.url === undefined) return notOpened(request, elicitations);
  const asked = elicitations.map((params, at) => {
    const question = { method: "elicitation/create", params: { ...params, mode: "url" } } as const;
    return [`open${at + 1}`, question] as const;
  });
  return inputRequired({ inputRequests: tabled(Object.fromEntries(asked)) });
}

interface UrlError {
  data: { elicitations: { url: string }[] };
}

const urlElicitationRequired: number = ProtocolErrorCode.UrlElicitationRequired;

const isUrlError = (error: unknown): error is UrlError =>
  error instanceof ProtocolError &&
  error.code === urlElicitationRequired &&
  Array.isArray((error.data as { elicitations?: unknown } | undefined)?.elicitations);

const hasRefused = (responses: Record<string, unknown> = {}) =>
  Object.values(responses).some((answer) => {
    const { action } = answer as { action?: unknown };
    return action === "decline" || action === "cancel";
  });

function notOpened({ method }: PassedRequest, elicitations: { url: string }[] = []): object {
  const addresses = elicitations.map(({ url }) => ` ${url}`).join("");
  const text = `The server wants an address opened before it answers, which was not done.${addresses}`;
  if (method === "tools/call") return { content: [{ type: "text", text }], isError: true };
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, text);
}
