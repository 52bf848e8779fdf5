// One request to the house; every reply has a request id, and every error is an envelope, or as OAuth has it.
import assert from "node:assert/strict";
import type { Route } from "../../kernel/http/route.ts";

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed when it is JSON, else the text. */
  body: unknown;
  /** The sentence of an error; empty for anything else. */
  message: string;
}

export interface Question {
  method?: string;
  path: string;
  caller?: { headers: Record<string, string> };
  headers?: Record<string, string>;
  /** Sent as JSON; a string or a form is sent as it is. */
  body?: unknown;
}

export async function ask(url: string, question: Question): Promise<Answer> {
  const { method = "GET", path, caller, headers = {}, body } = question;
  const said = `${method} ${path}`;
  const isForm = body instanceof FormData;
  const response = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: {
      ...(body !== undefined && !isForm && { "content-type": "application/json" }),
      ...caller?.headers,
      ...headers,
    },
    ...(body !== undefined && {
      body: isForm || typeof body === "string" ? body : JSON.stringify(body),
    }),
  });
  // A stream may have no end: that it begins is all that is looked at.
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (isStream) await response.body?.cancel();
  const text = isStream ? "" : await response.text();
  const requestId = response.headers.get("request-id") ?? "";
  assert.match(requestId, /^req_\w{10,}$/, `${said}: the reply has no request-id`);
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const parsed: unknown = isJson ? JSON.parse(text) : text;
  // A page speaks to people, also where it refuses them.
  const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
  const isError = response.status >= 400 && !isPage;
  const message = isError ? expectEnvelope(said, parsed, requestId) : "";
  return { status: response.status, headers: response.headers, body: parsed, message };
}

function expectEnvelope(said: string, body: unknown, requestId: string): string {
  const { error_description: oauth } = body as { error_description?: unknown };
  if (typeof oauth === "string") return oauth;
  const { type, error, request_id } = body as {
    type?: unknown;
    error?: { type?: unknown; message?: unknown };
    request_id?: unknown;
  };
  assert.equal(type, "error", `${said}: an error without its envelope`);
  assert.equal(request_id, requestId, `${said}: the body names another request`);
  assert.match(String(error?.type), /^\w+_error$/, said);
  assert.match(String(error?.message), /^\S.*[.?!]/s, `${said}: no sentence`);
  return String(error?.message);
}

/** What a route of the table wants beside a credential: its beta header, when it has one. */
export const headersFor = ({ beta }: Route): Record<string, string> =>
  beta === undefined ? {} : { "vendor-beta": beta.name };

export function fillPath(path: string, params: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    assert.ok(value !== undefined, `${path}: the fixture gives no ${name}`);
    return encodeURIComponent(value);
  });
}

/** For requests that end before the handler looks at the path. */
export const anyPath = (path: string) => path.replace(/\{(\w+)\}/g, "none_0000");
