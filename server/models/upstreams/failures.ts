// What went wrong at an upstream, as a failure that a client may see: its words, never its headers or addresses.
import { parseShallow } from "../../../kernel/base/json.ts";
import { Failure, invalid, unavailable, type FailureType } from "../../../kernel/base/failure.ts";
import { tokensOfBytes } from "../tokens.ts";
import type { AttemptProgress, WireEvent } from "../types.ts";
import { errorCodeOf, isTimeout, isUnconnected } from "./connection.ts";
import type { UpstreamReply, ReplyBody } from "./exchange.ts";
import { upstreamLimits as limits } from "./limits.ts";

const typeByStatus: Readonly<Record<number, FailureType>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  409: "conflict_error",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

const knownTypes: ReadonlySet<string> = new Set<FailureType>([
  ...Object.values(typeByStatus),
  "invalid_request_error",
  "api_error",
]);

const isType = (type: unknown): type is FailureType =>
  typeof type === "string" && knownTypes.has(type);

const typeFor = (status: number): FailureType =>
  typeByStatus[status] ?? (status < 500 ? "invalid_request_error" : "api_error");

/** By these an upstream says that it takes no more requests just now. Other failures say nothing of its load. */
const busyStatuses: ReadonlySet<number> = new Set([429, 503, 529]);
const busyTypes: ReadonlySet<FailureType> = new Set(["rate_limit_error", "overloaded_error"]);
const busyIf = (isUpstreamBusy: boolean) => (isUpstreamBusy ? { isUpstreamBusy } : {});
export const busyBy = (status: number) => busyIf(busyStatuses.has(status));

/** A status that stood in the body of a reply. */
export const failureOfStatus = (status: number, sentence: string) =>
  status === 401
    ? new Failure("api_error", sentence, { logged: loggedOf(status) })
    : new Failure(typeFor(status), sentence, {
        status,
        ...busyBy(status),
        logged: loggedOf(status),
      });

const loggedOf = (status: number) => `The upstream's reply says status ${status}.`;

/** How sentences call an upstream: the only one of the setting `upstream` needs no name. */
export const upstreamLabel = (name: string) =>
  name === "upstream" ? "The upstream" : `The upstream ${name}`;

/** The connection could not be made, or broke before or within the reply. */
export function failureOfError(error: unknown, upstream: string): Failure {
  if (error instanceof Failure) return error;
  const code = errorCodeOf(error);
  if (code === "TOO_MANY_OPEN")
    return new Failure(
      "overloaded_error",
      `${upstreamLabel(upstream)} has all the requests under way that this server sends at a time. Try again in a moment.`,
      { headers: retryAfter(), isUpstreamBusy: true },
    );
  if (isTimeout(error))
    return new Failure(
      "timeout_error",
      `${upstreamLabel(upstream)} did not answer in time (${code}). Try again, or with a shorter answer.`,
      { status: 504, headers: retryAfter(), cause: error },
    );
  return unavailable(
    `${upstreamLabel(upstream)} cannot be reached, or broke off (${code}). Try again in a moment.`,
    limits.retryAfterSeconds,
    { cause: error, ...busyIf(isUnconnected(code)) },
  );
}

/** A stream that ended before its last event. */
export const brokenStream = (upstream: string, error?: unknown) =>
  error instanceof Failure
    ? error
    : isTimeout(error)
      ? failureOfError(error, upstream)
      : unavailable(
          `${upstreamLabel(upstream)} broke off in the middle of the answer${error === undefined ? "" : ` (${errorCodeOf(error)})`}.`,
          limits.retryAfterSeconds,
          { cause: error },
        );

const retryAfter = () => ({ "retry-after": String(limits.retryAfterSeconds) });

/** Status, type and sentence are the upstream's own; what it says may repeat the request, and is in no log. */
export async function failureOfReply(
  { status, headers, body }: UpstreamReply,
  upstream: string,
): Promise<Failure> {
  if (status < 400) {
    body.cancel();
    const what = status < 300 ? "a success without an answer" : "a redirect";
    return unavailable(
      `${upstreamLabel(upstream)} answered with ${what} (status ${status}): its address needs correcting.`,
      limits.retryAfterSeconds,
    );
  }
  const text = await readBounded(body, limits.errorBytesMax).then(
    (bytes) => bytes.toString("utf8"),
    () => "",
  );
  const fields = errorFieldsOf(text);
  const sentence = fields.message ?? `${upstreamLabel(upstream)} answered with status ${status}.`;
  // A client whose key is good must not read that it is bad: it would drop the key.
  if (status === 401)
    return new Failure(
      "api_error",
      `${upstreamLabel(upstream)} refuses the key of this server: an operator has to set a good one.`,
      { headers: { "x-should-retry": "false" } },
    );
  return new Failure(isType(fields.type) ? fields.type : typeFor(status), sentence, {
    status,
    headers: passedOn(headers),
    ...busyBy(status),
    logged: `${upstreamLabel(upstream)} answered with status ${status}.`,
    ...(fields.code !== undefined && { code: fields.code }),
    ...(fields.details !== undefined && { details: fields.details }),
  });
}

const passing = ["retry-after", "retry-after-ms", "x-should-retry"] as const;

function passedOn(headers: UpstreamReply["headers"]): Record<string, string> {
  return Object.fromEntries(
    passing.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" && /^[\w ,.:+-]{1,64}$/.test(value) ? [[name, value]] : [];
    }),
  );
}

interface ErrorFields {
  type?: unknown;
  message?: string;
  code?: string;
  details?: Record<string, unknown>;
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== ""
    ? value.trim().slice(0, limits.sentenceCharsMax)
    : undefined;

/** The envelope of this wire, and those of other servers: `{error: {message}}`, `{error}`, `{message}`, `{detail}`. */
export function errorFieldsOf(text: string): ErrorFields {
  let parsed: Record<string, unknown>;
  try {
    parsed = recordOf(parseShallow(text));
  } catch {
    return {}; // a proxy's page: nothing for a client
  }
  const error = recordOf(parsed["error"]);
  const { error_code: code, ...details } = recordOf(error["details"]);
  const message =
    textOf(error["message"]) ??
    textOf(parsed["error"]) ??
    textOf(parsed["message"]) ??
    textOf(parsed["detail"]);
  return {
    type: error["type"] ?? parsed["type"],
    ...(message !== undefined && { message }),
    ...(typeof code === "string" && { code }),
    ...(Object.keys(details).length > 0 && { details }),
  };
}

/** An error that is the first event of a stream: the status of the reply did not show it. */
export function failureOfEvent(event: WireEvent): Failure {
  const error = recordOf(event.data()["error"]);
  const type = isType(error["type"]) ? error["type"] : "api_error";
  const sentence = textOf(error["message"]) ?? "The upstream failed.";
  const logged = `The upstream's stream began with an error of type ${type}.`;
  return new Failure(type, sentence, { ...busyIf(busyTypes.has(type)), logged });
}

/** `progress` is told how much has come, for a caller that gives the reply up before its end. */
export async function readBounded(
  body: ReplyBody,
  bytesMax: number,
  progress?: AttemptProgress,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (let more = await body.read(); more !== undefined; more = await body.read()) {
    chunks.push(...more);
    bytes += more.reduce((sum, chunk) => sum + chunk.length, 0);
    if (progress !== undefined) progress.writtenTokens = tokensOfBytes(bytes);
    if (bytes <= bytesMax) continue;
    body.cancel();
    throw invalid(`The upstream's reply has more than ${bytesMax} bytes.`, { status: 500 });
  }
  return Buffer.concat(chunks);
}
