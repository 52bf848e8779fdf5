// How the generated client speaks HTTP: this text goes into contract/client.ts, above the operations.

export interface ClientOptions {
  /** Where the server is, without a slash at the end; "" for the page's own server. */
  baseUrl: string;
  fetch?: typeof globalThis.fetch;
  /** Sent with every request: `x-api-key` or `authorization`, for instance. */
  headers?: Record<string, string>;
}

export interface CallOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** An event of a stream; its `type` says what else is in it. */
export interface StreamEvent {
  type: string;
  [field: string]: unknown;
}

/** Bytes of any kind that fetch takes. */
export type Bytes = NonNullable<RequestInit["body"]>;

/** JSON that is written already, and may be larger than memory. */
export type JsonBytes = Blob | ReadableStream<Uint8Array>;

/** A form that is written already; its content-type, which names the boundary, stands in the headers. */
export type FormBytes = ReadableStream<Uint8Array>;

export interface Pages {
  /** Every item of a list, page after page. */
  pages<Input, Page extends { data: readonly unknown[] }>(
    list: (input: Input) => Promise<Page>,
    ...input: undefined extends Input ? [Input?] : [Input]
  ): AsyncGenerator<Page["data"][number], void, undefined>;
}

interface ErrorFacts {
  status: number;
  type: string;
  code: string | undefined;
  details: Record<string, unknown>;
  requestId: string | undefined;
  retryAfterSeconds: number | undefined;
}

/** What the server has to say when it does not do what was asked. */
export class ApiError extends Error {
  readonly status: number;
  /** `not_found_error` and the like. */
  readonly type: string;
  /** A stable cause, for programs, where there is one. */
  readonly code: string | undefined;
  readonly details: Record<string, unknown>;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message);
    this.name = "ApiError";
    this.status = facts.status;
    this.type = facts.type;
    this.code = facts.code;
    this.details = facts.details;
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

interface Call {
  /** `POST /v1/memory_stores/{memory_store_id}` */
  route: string;
  beta?: string;
  /** The body goes out as it is: a form or bytes. JSON otherwise. */
  raw?: true;
  /** The body may be bytes of JSON as well. */
  streamed?: true;
  /** What comes back, where it is not JSON. */
  reply?: "bytes" | "text";
  /** The query field that turns the page. */
  pages?: "page" | "page_token" | "after_id";
}

interface Input extends CallOptions {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

type Method = ((input?: Input) => Promise<unknown>) & { turns?: Call["pages"] };

export function createClient(options: ClientOptions): Client {
  const root: Record<string, unknown> = { pages };
  for (const [operation, call] of Object.entries(calls)) {
    const steps = operation.split(".");
    const verb = steps.pop() ?? "";
    let at = root;
    for (const step of steps) at = (at[step] ??= {}) as Record<string, unknown>;
    const method: Method = (input = {}) => send(options, call, input);
    at[verb] = Object.assign(method, { turns: call.pages });
  }
  return root as unknown as Client;
}

async function send(options: ClientOptions, call: Call, input: Input): Promise<unknown> {
  const [method = "", path = ""] = call.route.split(" ");
  const headers: Record<string, string> = {
    "vendor-version": "2026-10-21",
    ...(call.beta !== undefined && { "vendor-beta": call.beta }),
    ...options.headers,
  };
  // Fetch knows the type of a form and its boundary; of bytes, nobody but the caller knows.
  const json = input.body !== undefined && !call.raw;
  if (json) headers["content-type"] = "application/json";
  const request: RequestInit & { duplex?: "half" } = {
    method,
    headers: { ...headers, ...input.headers },
    ...(input.signal && { signal: input.signal }),
    ...(input.body !== undefined && {
      body: json && !isBytes(call, input.body) ? JSON.stringify(input.body) : (input.body as Bytes),
    }),
  };
  if (input.body instanceof ReadableStream) request.duplex = "half";
  const url = options.baseUrl + fill(path, input.params) + queryText(input.query);
  const response = await (options.fetch ?? fetch)(url, request);
  if (!response.ok) throw apiError(response, await response.text());
  return read(response, call.reply);
}

const isBytes = ({ streamed }: Call, body: unknown) =>
  streamed && (body instanceof ReadableStream || body instanceof Blob);

async function read(response: Response, kind: Call["reply"]): Promise<unknown> {
  if (kind === "bytes") return response;
  if (kind === "text") return response.text();
  if (response.headers.get("content-type")?.startsWith("text/event-stream"))
    return readEvents(response);
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

/** An empty segment or dots would reach another route than the one that was meant. */
function fill(path: string, params: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = textOf(params[name], "");
    if (text === "" || text === "." || text === "..")
      throw new TypeError(`${name}: ${JSON.stringify(text)} cannot stand in ${path}`);
    return encodeURIComponent(text);
  });
}

/** `statuses[]=a&statuses[]=b`, `created_at[gte]=…`; what is undefined or null is left out. */
function queryText(query: Record<string, unknown> = {}): string {
  const search = new URLSearchParams();
  const add = (key: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) for (const item of value) add(`${key}[]`, item);
    else if (typeof value === "object")
      for (const [sub, bound] of Object.entries(value)) add(`${key}[${sub}]`, bound);
    else search.append(key, textOf(value, ""));
  };
  for (const [key, value] of Object.entries(query)) add(key, value);
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

function apiError(response: Response, text: string): ApiError {
  const envelope = parseObject(text);
  const { type, message, details: told, ...fields } = asObject(envelope["error"]);
  const details = { ...fields, ...asObject(told) };
  // The token endpoint speaks the words of OAuth: `error` is a code itself.
  const isOauth = typeof envelope["error"] === "string";
  const code = isOauth ? envelope["error"] : details["error_code"];
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  const fallback = `${response.status} ${response.statusText}`.trim();
  return new ApiError(textOf(isOauth ? envelope["error_description"] : message, fallback), {
    status: response.status,
    type: textOf(type, "api_error"),
    code: typeof code === "string" ? code : undefined,
    details,
    requestId: response.headers.get("request-id") ?? undefined,
    retryAfterSeconds: Number.isNaN(retryAfter) ? undefined : retryAfter,
  });
}

/** A proxy in between may answer with a page of its own. */
function parseObject(text: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

const textOf = (value: unknown, fallback: string): string =>
  value === undefined ? fallback : typeof value === "string" ? value : JSON.stringify(value);

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

async function* readEvents(response: Response): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const frames = (rest + decoder.decode(value, { stream: true })).split(/\r\n\r\n|\n\n|\r\r/);
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const { name, data } = readFrame(frame);
        if (name === "error") throw apiError(response, data);
        if (data !== "" && name !== "ping") yield JSON.parse(data) as StreamEvent;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function readFrame(frame: string): { name: string; data: string } {
  let name = "message";
  const data: string[] = [];
  for (const line of frame.split(/\r\n|\n|\r/)) {
    const [, field, value = ""] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
    if (field === "event") name = value;
    else if (field === "data") data.push(value);
  }
  return { name, data: data.join("\n") };
}

async function* pages(list: Method, input: Input = {}): AsyncGenerator<unknown, void, undefined> {
  let query = { ...input.query };
  for (;;) {
    const page = asObject(await list({ ...input, query }));
    yield* page["data"] as unknown[];
    const next = turn(list.turns, query, page);
    if (next === undefined) return;
    query = { ...query, ...next };
  }
}

/** The query fields that ask for the page after this one; undefined when this was the last. */
function turn(by: Call["pages"], query: Record<string, unknown>, page: Record<string, unknown>) {
  if (by === undefined) throw new TypeError("pages: this operation has no pages");
  if (by !== "after_id") {
    const next = page["next_page"];
    return next === null || next === undefined ? undefined : { [by]: next };
  }
  if (page["has_more"] !== true) return undefined;
  return query["before_id"] === undefined
    ? { after_id: page["last_id"] }
    : { before_id: page["first_id"] };
}

// From here on the generator writes: the operations as types, and what each needs on the wire.

export type Client = Pages;
const calls: Record<string, Call> = {};
