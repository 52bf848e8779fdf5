// Asks an MCP server what it is, with a token: `initialize`, and where it does not know that, the newer revision's way.
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import type { World } from "../../../kernel/context.ts";
import { OutsideFailure } from "../../../kernel/http/outside/failure.ts";
import { fetchOutside, type OutsideAnswer } from "../../../kernel/http/outside/fetch.ts";
import type { HttpResponse } from "../credentials/schema.ts";
import { limits } from "../limits.ts";
import { shownBytesRead, shownResponse } from "./shown-response.ts";

export interface Probe {
  method: string;
  /** Null where no answer came. */
  response: HttpResponse | null;
  /** It answered as MCP servers do. */
  isMcp: boolean;
}

/** Of the two answers the first is the one that counts, unless the second decides. */
export async function probeServer(world: World, url: string, token: string): Promise<Probe> {
  const first = await askServer(world, { url, token }, initialize(world));
  if (first.isMcp || isRefusal(first) || !mayBeNewer(first)) return first;
  const second = await askServer(world, { url, token }, discover(world));
  return second.isMcp || isRefusal(second) ? second : first;
}

export const isRefusal = ({ response }: Probe): boolean =>
  response?.status_code === 401 || response?.status_code === 403;

/** It may be one that takes no `initialize` any more: it answered, and neither failed nor pointed elsewhere. */
function mayBeNewer({ response }: Probe): boolean {
  const status = response?.status_code ?? 500;
  return status < 300 || (status >= 400 && status < 500);
}

interface Question {
  method: string;
  params: object;
  headers?: Record<string, string>;
  /** A field of every result of it. */
  field: string;
}

const clientInfo = ({ server }: World) => ({ name: "plinth", version: server.version });

const initialize = (world: World): Question => ({
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: clientInfo(world) },
  field: "protocolVersion",
});

const newer = "2026-07-28";
const discover = (world: World): Question => ({
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": newer,
      "io.modelcontextprotocol/clientInfo": clientInfo(world),
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
  headers: { "mcp-protocol-version": newer, "mcp-method": "server/discover" },
  field: "supportedVersions",
});

const id = 1;

async function askServer(
  world: World,
  { url, token }: { url: string; token: string },
  { method, params, headers, field }: Question,
): Promise<Probe> {
  try {
    const answer = await fetchOutside(world, url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
      bytesMax: shownBytesRead,
      timeoutMs: limits.probeTimeoutMs,
      takesRedirects: true,
      cutsBody: true,
    });
    const isMcp = messagesIn(answer).some((message) => answers(message, field));
    return { method, response: shownResponse(answer, [token]), isMcp };
  } catch (error) {
    if (error instanceof OutsideFailure) return { method, response: null, isMcp: false };
    throw error;
  }
}

function answers(message: unknown, field: string): boolean {
  const given = (message ?? {}) as { id?: unknown; result?: unknown };
  const { result } = given;
  return given.id === id && typeof result === "object" && result !== null && field in result;
}

/** Of JSON the whole, of a stream the data of each event; what is not JSON is none. */
function messagesIn({ status, headers, body }: OutsideAnswer): unknown[] {
  if (status < 200 || status >= 300) return [];
  const type = String(headers["content-type"] ?? "").split(";", 1)[0];
  const text = body.toString("utf8");
  switch (type?.trim().toLowerCase()) {
    case "application/json":
      return parsed(text);
    case "text/event-stream":
      return text.split(/\r?\n\r?\n/).flatMap((event) => parsed(dataOf(event)));
    default:
      return [];
  }
}

const dataOf = (event: string): string =>
  event
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith("data:") ? [line.slice("data:".length)] : []))
    .join("\n");

function parsed(text: string): unknown[] {
  try {
    return [parseExactly(text)];
  } catch {
    return [];
  }
}
