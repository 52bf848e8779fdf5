// The page of a tool, and what the tool answers for it (MCP Apps): bounded, and with the token taken out.
import type { CallToolResult, ReadResourceResult } from "@modelcontextprotocol/client";
import type { ToolResult } from "../../sandboxes/module.ts";
import { limits } from "../limits.ts";
import { clean, cleaned, type Scrub } from "../lists/tools.ts";
import { McpFault } from "../wire.ts";

/** `structured` is null where there is none, or too much of it. */
export type WholeResult = ToolResult & { structured: Record<string, unknown> | null };

export interface ToolPage {
  html: string;
  /** Origins that it says it reaches, and those from which it takes pictures, scripts and styles. */
  connects: string[];
  loads: string[];
}

const mimeType = "text/html;profile=mcp-app";

export function structuredOf(
  { structuredContent }: CallToolResult,
  scrub: Scrub,
): WholeResult["structured"] {
  if (structuredContent === undefined) return null;
  const read = cleaned(structuredContent, (text) => clean(scrub(text)), limits.schemaDepthMax);
  if (typeof read === "symbol" || Array.isArray(read)) return null;
  if (JSON.stringify(read).length > limits.structuredCharactersMax) return null;
  return read as Record<string, unknown>;
}

export function readPage({ contents }: ReadResourceResult, uri: string, scrub: Scrub): ToolPage {
  const found = contents.find((each) => each.uri === uri);
  if (found === undefined || found.mimeType?.replaceAll(" ", "") !== mimeType)
    throw new McpFault("answer", `has no page of the type ${mimeType} at that address.`);
  const html = "text" in found ? found.text : Buffer.from(found.blob, "base64").toString("utf8");
  if (html.length > limits.pageCharactersMax)
    throw new McpFault(
      "answer",
      `has a page of ${html.length} characters; at most ${limits.pageCharactersMax} are shown.`,
    );
  const { csp } = (found._meta?.["ui"] ?? {}) as { csp?: Record<string, unknown> };
  return {
    html: clean(scrub(html)),
    connects: originsIn(csp?.["connectDomains"]),
    loads: originsIn(csp?.["resourceDomains"]),
  };
}

/** Whole origins over TLS, or all below a name: nothing that could end a directive, or name this machine. */
const origin = /^(https|wss):\/\/(\*\.)?([a-z0-9-]+\.)+[a-z][a-z0-9-]*(:\d{1,5})?$/i;

export const isOrigin = (text: unknown): text is string =>
  typeof text === "string" && text.length <= 300 && origin.test(text);

const originsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).filter(isOrigin).slice(0, limits.pageDomainsMax);
