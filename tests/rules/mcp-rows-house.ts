// What the tests of a workspace's MCP servers share: calls, with the beta that the routes want.
import assert from "node:assert/strict";
import type {
  McpServer,
  McpServerTools,
  McpToolPage,
  McpToolResult,
} from "../../server/mcp_servers/schema.ts";
import type { Answer, Ask, House } from "../house.ts";
import { managedAgents } from "./vaults-house.ts";

/** Calls as the platform's workspace unless another key or cookie is given; each but `call` must succeed. */
export function mcpRowsOf(houseOf: () => House) {
  const call = (method: string, path: string, asking: Ask = {}): Promise<Answer> => {
    const { headers, ...rest } = asking;
    const key = houseOf().organizations.platform.api_key;
    const credential = rest.key === undefined && rest.cookie === undefined ? { key } : {};
    return houseOf().ask(method, `/v1/mcp_servers${path}`, {
      ...credential,
      ...rest,
      headers: { ...managedAgents, ...headers },
    });
  };
  const good = async <T = McpServer>(
    method: string,
    path: string,
    asking: Ask = {},
  ): Promise<T> => {
    const { status, body } = await call(method, path, asking);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    return body as T;
  };
  let made = 0;
  return {
    call,
    good,
    make: (body: object = {}, asking: Ask = {}) => {
      made += 1;
      const url = "https://mcp.example.com/mcp";
      return good("POST", "", { ...asking, body: { name: `server ${made}`, url, ...body } });
    },
    read: (id: string) => good("GET", `/${id}`),
    update: (id: string, body: object) => good("POST", `/${id}`, { body }),
    tools: (id: string) => good<McpServerTools>("POST", `/${id}/tools`),
    page: (id: string, name: string) =>
      good<McpToolPage>("POST", `/${id}/page`, { body: { name } }),
    run: (id: string, body: object) => good<McpToolResult>("POST", `/${id}/call`, { body }),
  };
}
