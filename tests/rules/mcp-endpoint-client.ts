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

interface Posted {
  method?: string;
  signal?: AbortSignal | undefined;
}

/** One message to `/mcp`, as a client that takes all kinds of answers. */
export const postMcp = (
  { url, key }: Place,
  message: unknown,
  headers: Readonly<Record<string, string>>,
  { method = "POST", signal }: Posted = {},
): Promise<Response> =>
  fetch(new URL("/mcp", url), {
    method,
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "x-api-key": key,
      ...headers,
    },
    ...(message !== undefined && { body: JSON.stringify(message) }),
    ...(signal !== undefined && { signal }),
  });

/** In `_meta` of each request of the revision 2026-07-28. */
export const newerMeta = (capabilities: object = {}) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": capabilities,
});

/** Whether they came alone or on a stream. */
export function messagesIn(text: string): Fields[] {
  const lines = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => data);
  return (lines.length > 0 ? lines : [text]).map((each) => JSON.parse(each) as Fields);
}

/** `mcpClient(place)(method, params)` asks there as a client that can do this, or as it says itself. */
export const mcpClient =
  (placeOf: () => Place, capabilities: object = {}) =>
  async (method: string, params: Fields, given: Partial<Place> = {}): Promise<Answered> => {
    const place = { ...placeOf(), ...given };
    const name = (params["name"] ?? params["taskId"] ?? params["uri"]) as string | undefined;
    const told = { ...params, _meta: newerMeta(capabilities) };
    const headers = {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name !== undefined && { "mcp-name": name }),
    };
    const response = await postMcp(place, { jsonrpc: "2.0", id: 1, method, params: told }, headers);
    const body = (await response.json()) as Answered;
    return { ...body, status: response.status };
  };

export const refusedWith = ({ error }: Answered, code: number): string => {
  assert.equal(error?.code, code, JSON.stringify(error));
  return error?.message ?? "";
};
