// What the tests of vaults share: calls, and a server on this machine that is an MCP server and its token endpoint.
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Credential, CredentialValidation } from "../../server/vaults/credentials/schema.ts";
import type { Vault } from "../../server/vaults/schema.ts";
import type { Answer, Ask, House } from "../house.ts";
import { queryOf, type Page } from "./memory-house.ts";

export type { Credential, CredentialValidation, Vault };
export const vaultsPath = "/v1/vaults";
export const managedAgents = { "vendor-beta": "managed-agents-2026-04-01" };

/** Calls as the platform's workspace unless another key or cookie is given; each but `call` must succeed. */
export function vaultsOf(houseOf: () => House) {
  const call = (method: string, path: string, asking: Ask = {}): Promise<Answer> => {
    const { headers, ...rest } = asking;
    const key = houseOf().organizations.platform.api_key;
    const credential = rest.key === undefined && rest.cookie === undefined ? { key } : {};
    return houseOf().ask(method, vaultsPath + path, {
      ...credential,
      ...rest,
      headers: { ...managedAgents, ...headers },
    });
  };
  const good = async <T = Vault>(method: string, path: string, asking: Ask = {}): Promise<T> => {
    const { status, body } = await call(method, path, asking);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    return body as T;
  };
  const make = (body: object = {}, asking: Ask = {}) =>
    good("POST", "", { ...asking, body: { display_name: "secrets", ...body } });
  return {
    call,
    good,
    make,
    add: (vault: string, auth: object, more: object = {}, asking: Ask = {}) =>
      good<Credential>("POST", `/${vault}/credentials`, { ...asking, body: { auth, ...more } }),
    tryAdd: (vault: string, auth: object, more: object = {}) =>
      call("POST", `/${vault}/credentials`, { body: { auth, ...more } }),
    change: ({ vault_id, id }: Credential, body: object) =>
      call("POST", `/${vault_id}/credentials/${id}`, { body }),
    read: ({ vault_id, id }: Credential) =>
      good<Credential>("GET", `/${vault_id}/credentials/${id}`),
    validate: ({ vault_id, id }: Credential) =>
      good<CredentialValidation>("POST", `/${vault_id}/credentials/${id}/mcp_oauth_validate`),
    all: async <T = Vault>(
      path: string,
      query: Record<string, string | number | boolean> = {},
      asking: Ask = {},
    ): Promise<T[]> => {
      const found: T[] = [];
      for (let next: string | null = ""; next !== null;) {
        const where: typeof query = next === "" ? query : { ...query, page: next };
        const page: Page<T> = await good<Page<T>>("GET", path + queryOf(where), asking);
        found.push(...page.data);
        next = page.next_page;
      }
      return found;
    },
  };
}

export const server = "https://mcp.example.com/mcp";
export const bearer = (more: object = {}) => ({
  type: "static_bearer",
  token: "tok-1",
  mcp_server_url: server,
  ...more,
});
export const variable = (more: object = {}) => ({
  type: "environment_variable",
  secret_name: "API_KEY",
  secret_value: "sec ret",
  networking: { type: "limited", allowed_hosts: ["api.example.com"] },
  ...more,
});
export const renewal = (more: object = {}) => ({
  client_id: "client",
  refresh_token: "ref-1",
  token_endpoint: "https://auth.example.com/token",
  token_endpoint_auth: { type: "client_secret_post", client_secret: "cs-1" },
  ...more,
});
export const oauth = (more: object = {}) => ({
  type: "mcp_oauth",
  access_token: "acc-1",
  mcp_server_url: server,
  ...more,
});

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}
type Respond = (response: ServerResponse, request: Received) => unknown;

/** What an MCP server answers to `initialize`. */
export const greeting = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  serverInfo: { name: "test", version: "1" },
};

/** `/mcp` takes the token that is good; `/token` hands out the next one, each refresh token once. */
export async function openProvider() {
  const received: Received[] = [];
  let count = 1;
  const provider = {
    received,
    good: "acc-1",
    refreshToken: "ref-1",
    expiresIn: 3_600 as number | undefined,
    /** In place of what it does by itself. */
    mcp: undefined as Respond | undefined,
    token: undefined as Respond | undefined,
    at: (path: string) => received.filter((each) => each.path === path),
  };
  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const answerMcp: Respond = (response, { headers }) =>
    headers.authorization === `Bearer ${provider.good}`
      ? json(response, 200, { jsonrpc: "2.0", id: 1, result: greeting })
      : json(response, 401, { error: "invalid_token", seen: headers.authorization });
  const answerToken: Respond = (response, { body }) => {
    const form = new URLSearchParams(body);
    if (form.get("refresh_token") !== provider.refreshToken)
      return json(response, 400, { error: "invalid_grant", seen: form.get("refresh_token") });
    count += 1;
    provider.good = `acc-${count}`;
    provider.refreshToken = `ref-${count}`;
    return json(response, 200, {
      access_token: provider.good,
      refresh_token: provider.refreshToken,
      token_type: "Bearer",
      expires_in: provider.expiresIn,
    });
  };
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      const one = { path, headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      if (path === "/token") (provider.token ?? answerToken)(response, one);
      else (provider.mcp ?? answerMcp)(response, one);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  http.unref();
  const { port } = http.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return Object.assign(provider, {
    url,
    answerToken,
    /** The token endpoint answers the next request when it is told to. */
    holdToken: (respond: Respond) => {
      const heard = Promise.withResolvers<void>();
      const opened = Promise.withResolvers<void>();
      provider.token = (response, request) => {
        heard.resolve();
        void opened.promise.then(() => respond(response, request));
      };
      return { heard: heard.promise, open: () => opened.resolve() };
    },
    oauth: (more: object = {}, refresh: object | null = {}) =>
      oauth({
        mcp_server_url: `${url}/mcp`,
        access_token: provider.good,
        ...(refresh !== null && {
          refresh: renewal({
            token_endpoint: `${url}/token`,
            refresh_token: provider.refreshToken,
            ...refresh,
          }),
        }),
        ...more,
      }),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  });
}
export type Provider = Awaited<ReturnType<typeof openProvider>>;
