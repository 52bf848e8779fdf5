// A client of `/mcp` for tests: one request of the revision 2026-07-28 at a time, and what came back.
import assert from "node:assert/strict";

/** What the tests read of answers; what they claim of them is what they check. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Fields = Record<string, any>;

export const tasksExtension = "io.modelcontextprotocol/tasks";

/** What clients say that they can do. */
export const knowsTasks = { extensions: { [tasksExtension]: {} }, elicitation: {} };
export const asksPeople = { elicitation: { form: {}, url: {} } };

export interface Place {
  url: string;
  key: string;
}

export interface Answered {
  status: number;
  result: Fields;
  error?: { code: number; message: string; data?: Fields };
}

/** `mcpClient(place)(method, params)` asks there as a client that can do this, or as it says itself. */
export const mcpClient =
  (placeOf: () => Place, capabilities: object = {}) =>
  async (method: string, params: Fields, given: Partial<Place> = {}): Promise<Answered> => {
    const { url, key } = { ...placeOf(), ...given };
    const name = (params["name"] ?? params["taskId"] ?? params["uri"]) as string | undefined;
    const told = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    const response = await fetch(new URL("/mcp", url), {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(name !== undefined && { "mcp-name": name }),
        "x-api-key": key,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: { ...params, _meta: told },
      }),
    });
    const body = (await response.json()) as Answered;
    return { ...body, status: response.status };
  };

export const refusedWith = ({ error }: Answered, code: number): string => {
  assert.equal(error?.code, code, JSON.stringify(error));
  return error?.message ?? "";
};
