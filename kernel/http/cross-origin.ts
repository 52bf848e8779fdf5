// Pages of other sites that may ask this server from a browser and read its answers (CORS).
import type { HttpRequest, HttpResponse } from "./wire/http-exchange.ts";
import { forbidden } from "../base/failure.ts";
import { noContent, type Reply } from "./output/reply.ts";
import { httpLimits } from "./limits.ts";

/** What is shared, and with whom. */
export interface Sharing {
  /** As browsers name them; `*` is all of them. */
  origins: readonly string[];
  methods: string;
  /** Headers that a page may send, of those that it wants to, in small letters. */
  allowHeaders(wanted: readonly string[]): readonly string[];
  /** Headers that it may read; `*` is all of them. */
  answerHeaders: string;
}

/**
 * Without credentials of the browser: a page has the key that it was given, and no cookie. True where the request was
 * the browser's question beforehand, and is answered.
 */
export function shareWithOrigins(
  request: HttpRequest,
  response: HttpResponse,
  { origins, methods, allowHeaders, answerHeaders }: Sharing,
): boolean {
  const { origin } = request.headers;
  if (origin === undefined || !(origins.includes(origin) || origins.includes("*"))) return false;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "Origin");
  if (!isQuestion(request)) {
    response.setHeader("access-control-expose-headers", answerHeaders);
    return false;
  }
  const wanted = (request.headers["access-control-request-headers"] ?? "").toLowerCase().split(",");
  response.writeHead(204, {
    "access-control-allow-methods": methods,
    "access-control-allow-headers": allowHeaders(wanted.map((name) => name.trim())).join(", "),
    "access-control-max-age": String(httpLimits.sharedSeconds),
  });
  response.end();
  return true;
}

/** What a browser asks before it sends what a page wants to send. */
const isQuestion = ({ method, headers }: HttpRequest): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;

/** What a path takes, for who asks for its options; an origin that may do more has had its answer before. */
export function tellMethods(request: HttpRequest, allow: readonly string[]): Reply {
  if (isQuestion(request))
    throw forbidden(
      "Pages of this origin may not use this server from a browser: the setting cors_origins does not name it.",
    );
  return noContent({ allow: [...allow, "OPTIONS"].join(", ") });
}

/** The API, below `/v1/`. What a page may do there is what its key may do. */
export function shareApi(
  request: HttpRequest,
  response: HttpResponse,
  origins: readonly string[],
): boolean {
  if (request.headers.origin === undefined || request.url?.startsWith("/v1/") !== true)
    return false;
  return shareWithOrigins(request, response, { ...api, origins });
}

const api: Omit<Sharing, "origins"> = {
  methods: "GET, POST, PUT, PATCH, DELETE",
  // Clients send headers of their own about themselves.
  allowHeaders: (wanted) => wanted.filter((name) => /^[a-z0-9-]{1,100}$/.test(name)),
  answerHeaders: "*",
};
