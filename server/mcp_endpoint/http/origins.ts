// Which hosts and pages reach `/mcp`: those of this server, and pages of the origins that the settings name.
import type { IncomingHttpHeaders } from "node:http";
import { isAtHost, loopbackHosts } from "../../../kernel/base/host-name.ts";
import { forbidden } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import { shareWithOrigins } from "../../../kernel/http/cross-origin.ts";
import type { HttpRequest, HttpResponse } from "../../../kernel/http/wire/http-exchange.ts";
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
].join(", ");

/** Arguments of tools may come as headers, by names of their own. */
const allowHeaders = (wanted: readonly string[]): string[] => [
  ...requestHeaders,
  ...wanted.filter((name) => /^mcp-param-[a-z0-9_-]{1,64}$/.test(name)),
];

/** Rules MCE38 and AUT22. True where the request was the browser's question beforehand, and is answered. */
export function shareMcp(world: World, request: HttpRequest, response: HttpResponse): boolean {
  if (request.headers.origin === undefined) return false;
  const [path = ""] = (request.url ?? "").split("?", 1);
  if (!paths.has(path) && !path.startsWith("/mcp/")) return false;
  const { origins } = endpointSettings(world);
  const methods = "GET, POST, DELETE";
  return shareWithOrigins(request, response, { origins, methods, allowHeaders, answerHeaders });
}
