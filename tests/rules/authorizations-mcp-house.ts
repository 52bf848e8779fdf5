// What tests of programs that sign people in for the MCP server share.
import assert from "node:assert/strict";
import type { Answer, House, Tenant } from "../house.ts";
import { codeIn, codeRequest, personOf, programOf, registeredIn } from "./authorizations-house.ts";

export function mcpProgramOf(houseOf: () => House) {
  const program = programOf(houseOf);
  const resource = () => `${houseOf().url}/mcp`;

  /** What the client asks, without a scope, for the MCP server. */
  function mcpRequest(client_id: string, more: object = {}) {
    const { ask, redemption } = codeRequest({ client_id, resource: resource(), ...more });
    const { scope: _, ...rest } = ask;
    return {
      ask: { ...rest, ...more },
      redeem: (code: string, also: object = {}) =>
        program.token({ ...redemption(code), redirect_uri: rest.redirect_uri, client_id, ...also }),
    };
  }

  async function workspaceOf({ cookie }: Tenant): Promise<{ id: string; name: string }> {
    const { body } = await houseOf().ask("GET", "/console/api/me", { cookie });
    return body.workspaces[0];
  }

  async function signIn(tenant: Tenant, more: object = {}) {
    const client_id = await registeredIn(houseOf());
    const { ask, redeem } = mcpRequest(client_id, more);
    const { id } = await workspaceOf(tenant);
    const person = personOf(houseOf, tenant);
    const answer = await person.authorize("/approve", { ...ask, workspace_id: id });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { status, body } = await redeem(codeIn(answer), { resource: resource() });
    assert.equal(status, 200, JSON.stringify(body));
    const tokens = body as { access_token: string; refresh_token: string; scope: string };
    return { ...tokens, client_id, workspaceId: id };
  }

  /** `/mcp`, asked for its tools. */
  async function mcp(token: string | undefined, method = "tools/list", params: object = {}) {
    const response = await fetch(resource(), {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...("name" in params && { "mcp-name": String(params.name) }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    return {
      status: response.status,
      challenge: response.headers.get("www-authenticate") ?? "",
      body: (await response.json()) as Answer["body"],
    };
  }

  return { resource, mcpRequest, workspaceOf, signIn, mcp };
}
