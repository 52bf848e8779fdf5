// A route called from within the server, for a caller who came by another protocol: its checks, without HTTP around it.
import assert from "node:assert/strict";
import { forbidden, notFound } from "../base/failure.ts";
import type { Context, Principal } from "../context.ts";
import { parseOriginalBody } from "./input/body.ts";
import { formFrom, type FormParts } from "./input/multipart.ts";
import { Reply } from "./output/reply.ts";
import { closed, isSchema, type Route } from "./route.ts";
import { checker, type Check } from "./validate/validate.ts";

export interface InnerInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  /** Of a route that takes a form, `FormParts`. */
  body?: unknown;
  /** In place of that of the request, with which it aborts: the other protocol has a word for not waiting any more. */
  signal?: AbortSignal;
}

/** The value that the route answers with; throws the Failure that it would refuse with. */
export type CallRoute = (
  context: Context,
  operation: string,
  input?: InnerInput,
) => Promise<unknown>;

export interface InnerCallOptions {
  routes: readonly Route[];
  queueChange?<T>(route: Route, who: Principal, handle: () => Promise<T> | T): Promise<T> | T;
}

/**
 * What the caller asks goes to routes that answer with JSON. The kind of credential and the beta are the other
 * protocol's matter; the permission, the organization's type and the input are judged as always.
 */
export function makeInnerCalls({ routes, queueChange }: InnerCallOptions): CallRoute {
  const byOperation = new Map(routes.map((route) => [route.operation, route]));
  const checksOf = makeChecks();
  return async (given, operation, { params = {}, query = {}, body, signal } = {}) => {
    const route = byOperation.get(operation);
    assert(route !== undefined, `${operation} is no route`);
    expectAllowed(route, given);
    const isForm = typeof route.body === "object" && "multipart" in route.body;
    const context = inRoute(given, route, { isForm, signal: signal ?? given.signal });
    const checks = checksOf(route);
    for (const failure of [checks.query(query), checks.body?.(body)])
      if (failure !== undefined) throw failure;
    const input = { params, query, body: bodyFor(route, body) };
    const handle = () => route.handle(context, input as never);
    const result = await (queueChange ? queueChange(route, context.who, handle) : handle());
    if (!(result instanceof Reply)) return result;
    return result.body.kind === "json" ? result.body.value : result;
  };
}

function bodyFor({ body: taken }: Route, body: unknown): unknown {
  if (typeof taken !== "object") return body;
  if ("multipart" in taken) return formFrom(taken, body as FormParts);
  return "originalJson" in taken ? parseOriginalBody(Buffer.from(JSON.stringify(body))) : body;
}

function expectAllowed({ permission, operation, organizations }: Route, { who }: Context): void {
  if (permission !== null && !who.permissions.has(permission))
    throw forbidden(`${operation}: this credential lacks the permission ${permission}.`);
  if (organizations?.includes(who.organizationType) === false)
    throw notFound("route", operation, { code: "organization_type_not_supported" });
}

/** The context as it came, but for the betas, which are those of the route. */
const inRoute = (
  context: Context,
  { beta }: Route,
  { isForm, signal }: { isForm: boolean; signal: AbortSignal },
): Context => ({
  ...context,
  betas: new Set(beta === undefined ? [] : [beta.name]),
  dialect: "2023-06-01",
  // These are worked out when they are asked for, and are not copied with the rest.
  userAgent: context.userAgent,
  // The length that came is that of another body.
  headers: isForm ? { ...context.headers, "content-length": undefined } : context.headers,
  signal,
});

function makeChecks() {
  const made = new WeakMap<Route, { query: Check; body: Check | undefined }>();
  return (route: Route) => {
    let checks = made.get(route);
    if (checks === undefined) {
      const body = isSchema(route.body) ? checker(route.body, "body") : undefined;
      made.set(route, (checks = { query: checker(route.query ?? closed({}), "query"), body }));
    }
    return checks;
  };
}
