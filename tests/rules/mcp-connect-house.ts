// What tests of connecting MCP servers by OAuth share: an authorization server whose people say yes at once.
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { McpConnection } from "../../server/mcp_servers/connect/schema.ts";
import type { Answer, House, Tenant } from "../house.ts";
import { mcpRowsOf } from "./mcp-rows-house.ts";

interface Asked {
  path: string;
  body: string;
  authorization: string | undefined;
}

/** An MCP server and its authorization server at one address; each part of it may be changed. */
export async function openAuthorizationServer() {
  const asked: Asked[] = [];
  const codes = new Map<string, URLSearchParams>();
  const self = {
    url: "",
    asked,
    at: (path: string) => asked.filter((each) => each.path === path),
    metadata: {} as Record<string, unknown>,
    resource: {} as Record<string, unknown>,
    challengeScope: "read" as string | undefined,
    /** What registration gives beside what was sent. */
    client: {} as Record<string, unknown>,
    iss: undefined as string | undefined,
    /** In place of the answer for these paths. */
    instead: new Map<string, (response: ServerResponse) => void>(),
    tokens: {} as Record<string, unknown>,
    /** The person says yes; the query that the browser comes back with. */
    allow: (address: string): Record<string, string> => {
      const ask = new URL(address).searchParams;
      const code = randomUUID();
      codes.set(code, ask);
      const iss = self.iss === undefined ? {} : { iss: self.iss };
      return { code, state: ask.get("state") ?? "", ...iss };
    },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  const json = (response: ServerResponse, status: number, value: unknown, more: object = {}) =>
    response
      .writeHead(status, { "content-type": "application/json", ...more })
      .end(JSON.stringify(value));
  const token = (response: ServerResponse, form: URLSearchParams) => {
    const ask = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight =
      ask?.get("code_challenge") === challenge &&
      ask.get("redirect_uri") === form.get("redirect_uri") &&
      ask.get("resource") === form.get("resource");
    if (!isRight) return json(response, 400, { error: "invalid_grant" });
    return json(response, 200, {
      access_token: "acc-of-oauth",
      refresh_token: "ref-of-oauth",
      token_type: "Bearer",
      expires_in: 3_600,
      ...self.tokens,
    });
  };
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      const body = Buffer.concat(chunks).toString();
      asked.push({ path, body, authorization: request.headers.authorization });
      const instead = self.instead.get(path);
      if (instead !== undefined) return instead(response);
      if (path === "/.well-known/oauth-protected-resource/mcp")
        return json(response, 200, {
          resource: `${self.url}/mcp`,
          authorization_servers: [self.url],
          ...self.resource,
        });
      if (path === "/.well-known/oauth-authorization-server")
        return json(response, 200, {
          issuer: self.url,
          authorization_endpoint: `${self.url}/authorize`,
          token_endpoint: `${self.url}/token`,
          registration_endpoint: `${self.url}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          ...self.metadata,
        });
      if (path === "/register")
        return json(response, 201, {
          ...(JSON.parse(body) as object),
          client_id: "client-1",
          ...self.client,
        });
      // At a browser, whose person says yes.
      if (path.startsWith("/authorize?")) {
        const address = new URL(path, self.url);
        const back = new URL(address.searchParams.get("redirect_uri") ?? "");
        back.search = new URLSearchParams(self.allow(address.href)).toString();
        return response.writeHead(302, { location: back.href }).end();
      }
      if (path === "/token") return token(response, new URLSearchParams(body));
      if (path !== "/mcp") return json(response, 404, {});
      const scope = self.challengeScope === undefined ? "" : `, scope="${self.challengeScope}"`;
      const metadata = `resource_metadata="${self.url}/.well-known/oauth-protected-resource/mcp"`;
      return json(response, 401, {}, { "www-authenticate": `Bearer ${metadata}${scope}` });
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  self.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return self;
}

export function connectOf(houseOf: () => House) {
  const rows = mcpRowsOf(houseOf);
  return {
    begin: (id: string, body: object = {}, asking: object = {}) =>
      rows.good<McpConnection>("POST", `/${id}/connect`, { body, ...asking }),
    finish: ({ mcp_server_id: server, id }: McpConnection, asking: object = {}) =>
      rows.good<McpConnection>("POST", `/${server}/connect/${id}`, asking),
    /** What the page does at the browser of a person. */
    look: (state: string, { cookie }: Pick<Tenant, "cookie">): Promise<Answer> =>
      houseOf().ask("POST", "/console/api/mcp_connections", { cookie, body: { state } }),
    answer: (query: Record<string, string>, { cookie }: Pick<Tenant, "cookie">): Promise<Answer> =>
      houseOf().ask("POST", "/console/api/mcp_connections/answer", { cookie, body: query }),
  };
}

export function stateIn({ authorization_url: address }: McpConnection): string {
  assert.ok(address !== null);
  return new URL(address).searchParams.get("state") ?? "";
}
