// From a request to its reply: route, credential, budget, organization type, beta, permission, workspace, body.
import assert from "node:assert/strict";
import { parseExactly } from "../base/exact-json.ts";
import { Failure, forbidden, invalid, notFound } from "../base/failure.ts";
import type { Principal, World } from "../context.ts";
import { tellMethods } from "./cross-origin.ts";
import { betaFailure, betasOf, dialectOf, single } from "./wire/dialect.ts";
import { envelope, toFailure } from "./output/envelope.ts";
import {
  openExchange,
  summary,
  type AnsweredRequest,
  type BegunRequest,
  type Exchange,
} from "./exchange/exchange.ts";
import { readBody, readParams, readQuery, type InputChecks } from "./input/input.ts";
import { Reply, send, sendJson, type Headers } from "./output/reply.ts";
import { closed, isSchema, type Route } from "./route.ts";
import { makeRouter } from "./router.ts";
import type { HttpRequest, HttpResponse } from "./wire/http-exchange.ts";
import { expectFewHeaders, expectFraming } from "./wire/request-target.ts";
import { makeRequestContext } from "./exchange/request-context.ts";
import { checker, type Check } from "./validate/validate.ts";

export interface Authentication {
  /** The holder of the credential; undefined when there is none; a Failure when it is not good. */
  authenticate(request: HttpRequest): Promise<Principal | undefined> | Principal | undefined;
  /** The same caller, in the workspace that the request names; a Failure when there is none. */
  selectWorkspace?(
    who: Principal,
    request: HttpRequest,
    permission: string,
  ): Promise<Principal> | Principal;
  /** The end of the sentence that refuses a credential; `kinds` are those that the route takes. */
  explain(permission: string, who: Principal, kinds: Route["credentials"]): string;
}

export interface DispatchOptions {
  routes: readonly Route[];
  world: World;
  authentication: Authentication;
  /** Counts a request of an authenticated caller, also one that fails; a Failure when there were too many. */
  budget?(route: Route, who: Principal): Promise<void> | undefined;
  /** Decides when a request of an authenticated caller is handled; at once without this function. */
  queueChange?<T>(route: Route, who: Principal, handle: () => Promise<T> | T): Promise<T> | T;
  /** Hears of each request before anything else is done for it. */
  onBegan?: ((begun: BegunRequest) => void) | undefined;
  onAnswered(facts: AnsweredRequest): void;
  /** Answers paths that are no route: the console's files. True when it has taken the request. */
  elsewhere?(request: HttpRequest, response: HttpResponse, headers: Headers): boolean;
  /** How many reverse proxies stand in front: that many entries from its end X-Forwarded-For is trusted. */
  proxies?: number;
  /** In tests: replies are held against their schema, and a mismatch is a bug. */
  checkReplies?: boolean;
  /** How JSON and errors are sent, where the protocol is not Plinth's own. */
  replyFormat?: ReplyFormat;
}

export interface ReplyFormat {
  contentType: string;
  error(failure: Failure, requestId: string): unknown;
}

const ownWire: ReplyFormat = { contentType: "application/json", error: envelope };

interface Checks extends InputChecks {
  reply: Check | undefined;
}

export function makeDispatch(options: DispatchOptions) {
  const router = makeRouter(options.routes);
  const checks = new Map(
    options.routes.map((route) => [route, checksOf(route, options.checkReplies)]),
  );

  return (request: HttpRequest, response: HttpResponse): void => {
    const startedMs = options.world.clock.monotonicMs();
    const exchange = openExchange(request, response, options.world);
    options.onBegan?.(exchange);
    // A client that goes away is no error here; without a listener it would end the process.
    response.on("error", () => {});
    response.on("close", () => options.onAnswered(summary(exchange, startedMs, options.world)));
    serve(exchange, router, checks, options).catch((error: unknown) =>
      refuse(exchange, error, options.replyFormat ?? ownWire),
    );
  };
}

async function serve(
  exchange: Exchange,
  router: ReturnType<typeof makeRouter>,
  checks: Map<Route, Checks>,
  options: DispatchOptions,
): Promise<void> {
  const { request, response, requestId, path } = exchange;
  const address = addressOf(request, options.proxies ?? 0);
  exchange.address = address;
  expectFewHeaders(request);
  expectFraming(request);
  const match = router.match(request.method ?? "GET", path);
  if (match.found !== "route") {
    const headers = { "request-id": requestId };
    if (match.found === "nothing" && options.elsewhere?.(request, response, headers)) return;
    if (match.found === "path" && request.method === "OPTIONS")
      return send(response, tellMethods(request, match.allow), headers);
    throw match.found === "path" ? wrongMethod(exchange, match.allow) : unknownRoute(exchange);
  }
  const { route } = match;
  exchange.operation = route.operation;
  exchange.refusal = route.refusal;
  let who = await admit(route, exchange, options);
  const dialect = dialectOf(request.headers);
  const betas = betasOf(request.headers);
  const beta =
    route.beta && betaFailure(route.beta, request.headers, `${route.method} ${printable(path)}`);
  if (beta !== undefined) throw beta;
  if (who !== undefined) {
    expectPermission(route, who, options.authentication);
    who =
      (await options.authentication.selectWorkspace?.(who, request, route.permission ?? "")) ?? who;
    exchange.who = who;
  }
  const facts = { requestId, notes: exchange.notes, dialect, betas, address };
  const context = makeRequestContext(options.world, facts, who ?? null, request, response);
  const rules = checks.get(route);
  const input = {
    params: readParams(match.params, rules),
    query: readQuery(exchange.search, route, rules, dialect),
    body: await readBody(request, route, rules, dialect),
  };
  const handle = () => route.handle(context, input as Parameters<Route["handle"]>[1]);
  const result = await (who && options.queueChange
    ? options.queueChange(route, who, handle)
    : handle());
  await reply(exchange, result, rules, options.replyFormat ?? ownWire);
}

/** Each proxy appends the address that it saw: a client may have written all entries before those of our proxies. */
function addressOf({ socket, headers }: HttpRequest, proxies: number): string {
  const seen = proxies === 0 ? undefined : single(headers["x-forwarded-for"])?.split(",");
  return seen?.at(-proxies)?.trim() || (socket.remoteAddress ?? "");
}

/** 401 before the organization type's 404: an unknown caller learns nothing of what exists. */
async function admit(
  route: Route,
  exchange: Exchange,
  { authentication, budget, world }: Pick<DispatchOptions, "authentication" | "budget" | "world">,
): Promise<Principal | undefined> {
  if (route.permission === null) return undefined;
  const who = await authentication.authenticate(exchange.request);
  if (who === undefined && route.mayBeAnonymous === true) return undefined;
  if (who === undefined)
    throw new Failure(
      "authentication_error",
      "This request carries no credential. Send an x-api-key header, or authorization: Bearer.",
    );
  exchange.who = who;
  const counted = budget?.(route, who);
  if (counted !== undefined) await counted;
  const { organizations, method } = route;
  const type = who.organizationType;
  if (organizations?.includes(type) === false && route.alsoFor?.(world).includes(type) !== true)
    throw notFound("route", `${method} ${printable(exchange.path)} for ${type} organizations`, {
      code: "organization_type_not_supported",
    });
  return who;
}

function expectPermission(route: Route, who: Principal, authentication: Authentication): void {
  const kindFits = route.credentials === undefined || route.credentials.includes(who.kind);
  const permission = route.permission ?? "";
  if (route.alsoCredentials?.includes(who.kind) === true) return;
  if (kindFits && who.permissions.has(permission)) return;
  throw forbidden(
    `${route.operation}: ${authentication.explain(permission, who, route.credentials)}`,
  );
}

async function reply(
  exchange: Exchange,
  result: unknown,
  rules: Checks | undefined,
  { contentType }: ReplyFormat,
): Promise<void> {
  const { request, response, requestId, who } = exchange;
  if (response.closed) return;
  const headers: Headers = { "request-id": requestId };
  // The handler did not take all of the body: the rest is not read.
  if (!request.complete) headers["connection"] = "close";
  if (who?.workspaceId) headers["anthropic-workspace-id"] = who.workspaceId;
  if (result instanceof Reply) {
    if (result.body.kind === "json") expectReply(result.body.value, rules);
    return send(response, result, headers, contentType);
  }
  expectReply(result, rules);
  sendJson(response, 200, result, headers, contentType);
}

function expectReply(value: unknown, rules: Checks | undefined): void {
  const mismatch = rules?.reply?.(parseExactly(JSON.stringify(value)));
  if (mismatch !== undefined) assert.fail(`the reply does not fit its schema: ${mismatch.message}`);
}

/** Once headers are out, all that is left is to cut the connection: the client sees a broken body, not a false one. */
function refuse(exchange: Exchange, error: unknown, wire: ReplyFormat): void {
  const { request, response, requestId } = exchange;
  const failure = toFailure(error);
  exchange.failure = failure;
  if (response.closed || response.destroyed) return;
  if (response.headersSent) {
    // An event stream has already written its error event, and only has to flush it.
    if (!response.writableEnded) response.destroy();
    return;
  }
  const headers: Headers = { ...failure.options.headers, "request-id": requestId };
  if (exchange.who?.workspaceId) headers["anthropic-workspace-id"] = exchange.who.workspaceId;
  // An unread body would have to be read to its end before the connection is of use again.
  if (!request.complete) headers["connection"] = "close";
  const shaped = exchange.refusal?.(failure);
  const value = shaped?.value ?? wire.error(failure, requestId);
  const all = { ...shaped?.headers, ...headers };
  sendJson(response, failure.status, value, all, wire.contentType);
}

const unknownRoute = ({ request, path }: Exchange) =>
  notFound("route", `${request.method} ${printable(path)}`);

const wrongMethod = ({ request, path }: Exchange, allow: string[]) =>
  invalid(`${printable(path)} does not take ${request.method}; it takes ${allow.join(", ")}.`, {
    status: 405,
    headers: { allow: allow.join(", ") },
  });

const printable = (path: string) => path.slice(0, 200).replace(/[^\x21-\x7e]/g, "?");

function checksOf(route: Route, checkReplies = false): Checks {
  const { params, query, body, reply: replyKind } = route;
  const checkQuery = checker(query ?? closed({}), "query");
  return {
    params: params && checker(params, "params"),
    query: checkQuery,
    mayLackQuery: checkQuery({}) === undefined,
    body: isSchema(body) ? checker(body, "body") : undefined,
    reply: checkReplies && isSchema(replyKind) ? checker(replyKind, "reply") : undefined,
  };
}
