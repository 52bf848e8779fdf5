// Parts of a session and of its events in a few words.
import { askedIn } from "../../client/sessions/questions.ts";
import { formatDollars } from "../../client/text/words.ts";
import type { Session } from "../../contract/types.ts";

type Fields = Record<string, unknown>;

export const costOf = ({ usage }: Session): string => formatDollars(usage.list_cost.amount);

export const budgetOf = ({ budget }: Session): string =>
  budget === null ? "-" : formatDollars(budget.max_list_cost.amount);

export const hasBudgetLeft = ({ budget, usage }: Session): boolean =>
  budget === null || Number(budget.max_list_cost.amount) > Number(usage.list_cost.amount);

/** What was read from a cache was read all the same. */
export function inputTokensOf({ usage }: Session): number {
  const { input_tokens, cache_read_input_tokens, cache_creation: written } = usage;
  return (
    input_tokens +
    cache_read_input_tokens +
    written.ephemeral_5m_input_tokens +
    written.ephemeral_1h_input_tokens
  );
}

export const words = (value: unknown): string => (typeof value === "string" ? value : "");

export const object = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

/** The texts of a message or a result; other content by its type. */
export const textOf = (content: unknown): string =>
  (Array.isArray(content) ? content.map(object) : [])
    .map((block) => (block["type"] === "text" ? words(block["text"]) : `[${words(block["type"])}]`))
    .join("");

const lineCharactersMax = 200;

/** On one line of a screen. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= lineCharactersMax ? line : `${line.slice(0, lineCharactersMax)}…`;
}

/** A tool of an MCP server is named with its server. */
export const callName = ({ name, mcp_server_name: server }: Fields): string =>
  server === undefined ? words(name) : `${words(server)}: ${words(name)}`;

export function callText(call: Fields): string {
  const asked = askedIn({ ...call, type: words(call["type"]) });
  if (asked !== undefined) return oneLine(`${asked.server} asks, for its tool ${asked.tool}`);
  return `${callName(call)} ${oneLine(JSON.stringify(call["input"] ?? {}))}`;
}

/** The command to run next, with the same server. */
export const nextCommand = (command: string, { url }: { url?: string }): string =>
  `plinth sessions ${command}${url === undefined ? "" : ` --url ${url}`}`;
