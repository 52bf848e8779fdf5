// Which hosts and pages reach `/mcp`: those of this server, and pages of the origins that the settings name.
import type { IncomingHttpHeaders } from "node:http";
import { isAtHost, loopbackHosts } from "../../../kernel/base/host-name.ts";
import { forbidden } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import type { HttpRequest, HttpResponse } from "../../../kernel/http/wire/http-exchange.ts";
import { limits } from "../limits.ts";
import { endpointSettings } from "../settings.ts";

/** Rule MCE3: a page of another site whose name was pointed at this machine gets nothing. */
export function expectOwnHost(world: World, { host, origin }: IncomingHttpHeaders): void {
  const { hosts, origins } = endpointSettings(world);
  const own = [new URL(world.publicUrl).hostname, ...loopbackHosts, ...hosts];
  const isOwn = (address: string) => isAtHost(address, own);
  if (!isOwn(`http://${host ?? ""}`))
    throw forbidden(
      "The Host header names another server. Ask by the public address of this one, or have the setting mcp_endpoint.hosts name it.",
    );
  if (origin !== undefined && !isOwn(origin) && !origins.includes(origin))
    throw forbidden(
      "The Origin header names another site: its pages may not use /mcp unless the setting mcp_endpoint.origins names it, as https://app.example.com.",
    );
}

/** Of these, and of what lies below `/mcp/`: all that a client in a browser asks. */
const paths: ReadonlySet<string> = new Set([
  "/mcp",
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/oauth-authorization-server",
  "/v1/oauth/register",
  "/v1/oauth/token",
  "/v1/oauth/revoke",
]);

const requestHeaders = [
  "accept",
  "authorization",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "x-api-key",
];
const answerHeaders = [
  "WWW-Authenticate",
  "Mcp-Session-Id",
  "MCP-Protocol-Version",
  "Retry-After",
  "Request-Id",
];

/**
 * Rules MCE38 and AUT22. Without credentials of the browser: a page has the token that it was given, and no cookie.
 * True where the request was the browser's question beforehand, and is answered.
 */
export function shareWithOrigins(
  world: World,
  request: HttpRequest,
  response: HttpResponse,
): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  const [path = ""] = (request.url ?? "").split("?", 1);
  if (!paths.has(path) && !path.startsWith("/mcp/")) return false;
  if (!endpointSettings(world).origins.includes(origin)) return false;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "Origin");
  const isQuestion =
    request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
  if (!isQuestion) {
    response.setHeader("access-control-expose-headers", answerHeaders.join(", "));
    return false;
  }
  response.writeHead(204, {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": allowedOf(request.headers).join(", "),
    "access-control-max-age": String(limits.originSeconds),
  });
  response.end();
  return true;
}

/** Arguments of tools may come as headers, by names of their own. */
function allowedOf({ "access-control-request-headers": asked }: IncomingHttpHeaders): string[] {
  const params = (asked ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[a-z0-9_-]{1,64}$/.test(name));
  return [...requestHeaders, ...params];
}
