// The tool `web_search`: what a search server finds for a query, within the domains of the agent.
import { isFailure } from "../../../kernel/base/failure.ts";
import { parseJson } from "../../../kernel/http/input/body.ts";
import { fetchOutside, type OutsideAnswer } from "../../../kernel/http/outside/fetch.ts";
import { OutsideFailure } from "../../../kernel/http/outside/failure.ts";
import type { World } from "../../../kernel/context.ts";
import {
  done,
  optionalTexts,
  textOf,
  ToolFault,
  type ToolInput,
  type ToolResult,
} from "../../sandboxes/module.ts";
import type { ToolSettings } from "../config.ts";
import { areDomainsGood, type DomainLists } from "../domains.ts";
import { limits } from "../limits.ts";
import { plainText } from "../page/html.ts";
import type { SearchProvider } from "../settings.ts";
import { foundIn, requestOf, type FoundPage } from "./providers.ts";

export interface Searching {
  settings: ToolSettings;
  provider: SearchProvider;
}

export async function search(
  world: World,
  input: ToolInput,
  { settings, provider }: Searching,
  signal: AbortSignal,
): Promise<ToolResult> {
  const words = queryIn(input);
  const lists: DomainLists[] = [settings, domainsIn(input)];
  const query = withOperators(words, lists);
  const request = requestOf(provider, { query, location: settings.user_location ?? null });
  const answer = await ask(world, request, signal);
  const found = foundIn(provider, jsonOf(answer));
  if (found === undefined)
    throw new ToolFault("The search server answered with something other than results.");
  const good = found.filter(({ url }) => lists.every((list) => areDomainsGood(list, new URL(url))));
  return done(textOfResults(good.slice(0, limits.resultsMax)));
}

function queryIn(input: ToolInput): string {
  const query = textOf(input, "query").replace(/\s+/g, " ").trim();
  if (query === "") throw new ToolFault("query: must not be empty.");
  if (query.length > limits.queryCharactersMax)
    throw new ToolFault(`query: must have at most ${limits.queryCharactersMax} characters.`);
  return query;
}

function domainsIn(input: ToolInput): DomainLists {
  const allowed = optionalTexts(input, "allowed_domains");
  const blocked = optionalTexts(input, "blocked_domains");
  // Models write empty lists where they mean none.
  return {
    ...(allowed !== undefined && allowed.length > 0 && { allowed_domains: allowed }),
    ...(blocked !== undefined && { blocked_domains: blocked }),
  };
}

/** So that results are of these domains from the start; where the query would be too long, others are left out. */
function withOperators(words: string, lists: readonly DomainLists[]): string {
  let query = words;
  for (const { allowed_domains: allowed, blocked_domains: blocked = [] } of lists) {
    const sites = allowed?.map((domain) => `site:${domain}`).join(" OR ");
    const operators = [
      ...(sites === undefined ? [] : [allowed?.length === 1 ? sites : `(${sites})`]),
      ...blocked.map((domain) => `-site:${domain}`),
    ];
    const longer = [query, ...operators].join(" ");
    if (longer.length <= limits.queryCharactersMax) query = longer;
  }
  return query;
}

/** The operator chose this address, not a client: it may lie inside of the operator's network. */
const anywhere = { network: { allow_private_addresses: ["0.0.0.0/0", "::/0"] } };

async function ask(
  { outside }: World,
  { url, headers }: { url: string; headers: Record<string, string> },
  signal: AbortSignal,
): Promise<OutsideAnswer> {
  const { searchBytesMax: bytesMax, searchMs: timeoutMs } = limits;
  try {
    const asking = { headers, bytesMax, timeoutMs, signal };
    const answer = await fetchOutside({ outside, sections: anywhere }, url, asking);
    if (answer.status === 200) return answer;
    throw new ToolFault(`The search server answered with the status ${answer.status}.`);
  } catch (error) {
    if (error instanceof OutsideFailure)
      throw new ToolFault(`The search server ${error.message}`, { cause: error });
    throw error;
  }
}

function jsonOf({ body }: OutsideAnswer): unknown {
  try {
    return parseJson(body.toString("utf8"));
  } catch (error) {
    if (isFailure(error)) return undefined;
    throw error;
  }
}

function textOfResults(found: readonly FoundPage[]): string {
  if (found.length === 0) return "Nothing was found.";
  return found
    .map(({ url, title, age, snippet }, index) => {
      const name = beginningOf(plainText(title), limits.resultTitleCharactersMax) || url;
      const words = beginningOf(plainText(snippet), limits.snippetCharactersMax);
      const lines = [`${index + 1}. ${name}`, url, plainText(age), words];
      return lines.filter((line) => line !== "").join("\n   ");
    })
    .join("\n\n");
}

const beginningOf = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax).toWellFormed()}…`;
