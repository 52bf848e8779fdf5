// The errors a caller may see. Everything else that is thrown is a bug: logged once, shown as 500.

/** `error.type` on the wire, and the status it has unless the failure names another. */
const statusByType = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  timeout_error: 408,
  conflict_error: 409,
  memory_precondition_failed_error: 409,
  memory_path_conflict_error: 409,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529,
} as const;

export type FailureType = keyof typeof statusByType;

export interface FailureOptions {
  /** A stable cause, for programs: `error.details.error_code`. */
  code?: string;
  /** More fields for `error.details`. */
  details?: Record<string, unknown>;
  /** Fields that stand beside `type` and `message`, where the contract puts them there. */
  fields?: Record<string, unknown>;
  status?: number;
  headers?: Record<string, string>;
  /** An upstream takes no more just now: for the code that paces its requests, never for the caller. */
  isUpstreamBusy?: boolean;
  /** Whose credential it was that is no longer good: for the audit log, never for the caller. */
  whose?: { organizationId: string; kind: string; credentialId: string; name: string };
  /** What the log says in place of the message, where that names what no log may hold. */
  logged?: string;
  cause?: unknown;
}

export class Failure extends Error {
  readonly type: FailureType;
  readonly status: number;
  readonly options: Omit<FailureOptions, "cause">;

  constructor(type: FailureType, message: string, { cause, ...options }: FailureOptions = {}) {
    super(message, { cause });
    this.name = "Failure";
    this.type = type;
    this.status = options.status ?? statusByType[type];
    this.options = options;
  }
}

export const isFailure = (error: unknown): error is Failure => error instanceof Failure;

export const invalid = (message: string, options?: FailureOptions) =>
  new Failure("invalid_request_error", message, options);

export const unauthenticated = (message: string, options?: FailureOptions) =>
  new Failure("authentication_error", message, options);

export const forbidden = (message: string, options?: FailureOptions) =>
  new Failure("permission_error", message, options);

/** The same for an object that does not exist and one of another tenant: a caller cannot tell them apart. */
export const notFound = (noun: string, id: string, options?: FailureOptions) =>
  new Failure("not_found_error", `There is no ${noun} ${shown(id)}.`, options);

/** A caller's text may be of any length. */
const shown = (id: string) => (id.length > idShownMax ? `${id.slice(0, idShownMax)}…` : id);
const idShownMax = 120;

/** Clients retry a 409 unless a header forbids it; this one does, because the state will not change by itself. */
export const conflict = (message: string, options?: FailureOptions) =>
  new Failure("conflict_error", message, {
    ...options,
    headers: { "x-should-retry": "false", ...options?.headers },
  });

export const tooLarge = (message: string, options?: FailureOptions) =>
  invalid(message, { ...options, status: 413 });

export const rateLimited = (message: string, retryAfterSeconds: number, options?: FailureOptions) =>
  new Failure("rate_limit_error", message, {
    ...options,
    headers: { "retry-after": String(Math.ceil(retryAfterSeconds)), ...options?.headers },
  });

/** A part of the system is away for a moment; the caller may come back. */
export const unavailable = (message: string, retryAfterSeconds = 1, options?: FailureOptions) =>
  new Failure("api_error", message, {
    ...options,
    status: 503,
    headers: { "retry-after": String(Math.ceil(retryAfterSeconds)), ...options?.headers },
  });

/** The process gives up on purpose: printed as one sentence, without a stack, with this exit code. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1, cause?: unknown) {
    super(message, { cause });
    this.name = "ExitError";
    this.exitCode = exitCode;
  }
}

/** Of a stream that fails after its head was sent: the status of the failure, which stands in the last event. */
export const statusInTheEnd = (status: number, failure: Failure | undefined): number =>
  failure !== undefined && status < 400 ? failure.status : status;
