// What web_search and web_fetch may be told: domains, where the user is, and where addresses may come from.
import { invalid } from "../../../kernel/base/failure.ts";
import { limits } from "../limits.ts";
import type {
  AgentTool,
  BuiltInConfigInput,
  ToolSource,
  UrlSources,
  UrlSourcesInput,
  UserLocationInput,
} from "./schema-tools.ts";

type DomainList = "allowed_domains" | "blocked_domains";
const domainLists = ["allowed_domains", "blocked_domains"] as const;

/** Rule AGT21: one of the two lists, or none. */
export function domainsOf(
  config: BuiltInConfigInput,
  path: string,
  options: { mayHavePath: boolean },
): Partial<Record<DomainList, string[]>> {
  const given = domainLists.filter((list) => config[list] != null);
  if (given.length > 1)
    throw invalid(
      `${path}.blocked_domains: must not stand beside allowed_domains; send one of them.`,
    );
  const [list] = given;
  if (list === undefined) return {};
  const domains = config[list] ?? [];
  if (domains.length === 0)
    throw invalid(`${path}.${list}: must not be empty; leave it out to set no limit.`);
  for (const [index, domain] of domains.entries())
    expectDomain(domain, `${path}.${list}.${index}`, options);
  return { [list]: domains };
}

/** Labels of letters, digits and hyphens; other scripts as they travel, `xn--…`. */
const host = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i;
const pathBehind = /^\/[\x21\x24-\x3e\x40-\x7e]*$/;

function expectDomain(
  domain: string,
  path: string,
  { mayHavePath }: { mayHavePath: boolean },
): void {
  const slash = mayHavePath && domain.includes("/") ? domain.indexOf("/") : domain.length;
  const [name, rest] = [domain.slice(0, slash), domain.slice(slash)];
  const fits =
    name.length <= limits.domainCharactersMax &&
    host.test(name) &&
    domain.length <= limits.domainPathCharactersMax &&
    (rest === "" || pathBehind.test(rest));
  if (fits) return;
  const shape = mayHavePath ? "docs.example.com or docs.example.com/guides" : "docs.example.com";
  const without = mayHavePath ? "no scheme, port or *" : "no scheme, port, path or *";
  throw invalid(`${path}: must be a plain host name such as ${shape}, with ${without}.`);
}

/** Rule AGT22. */
export function locationOf(given: UserLocationInput | null | undefined, path: string) {
  if (given == null) return null;
  const { type, city = null, country = null, region = null, timezone = null } = given;
  if (timezone !== null && !isTimeZone(timezone))
    throw invalid(`${path}.timezone: must be a time zone such as Europe/Berlin.`);
  return { type, city, country, region, timezone };
}

/** The runtime knows them, and tells by an error alone. */
function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Rule AGT23: always as objects. */
export function urlSourcesOf(
  given: UrlSourcesInput | null | undefined,
  path: string,
): UrlSources | null {
  if (given == null) return null;
  const sources: UrlSources = {
    user_input: objectOf(given.user_input),
    client_tool_results: objectOf(given.client_tool_results),
    server_tool_results: objectOf(given.server_tool_results),
  };
  if (Object.values(sources).every((source) => source?.type === "none"))
    throw invalid(
      `${path}: must leave web_fetch an address to fetch: not all three may be none. Disable web_fetch instead.`,
    );
  return sources;
}

function objectOf<S extends ToolSource>(given: "all" | "none" | S | null | undefined) {
  if (given == null) return null;
  return typeof given === "string" ? { type: given } : given;
}

const serverTools = ["web_search", "web_fetch"];

/** Rule AGT24: a name in a list is that of a tool beside it. */
export function expectSources(tools: readonly AgentTool[]): void {
  const custom = tools.flatMap((tool) => (tool.type === "custom" ? [tool.name] : []));
  for (const [at, tool] of tools.entries()) {
    if (tool.type !== "agent_toolset_20260401") continue;
    for (const [index, config] of tool.configs.entries()) {
      if (config.name !== "web_fetch" || config.url_sources === null) continue;
      const path = `tools.${at}.configs.${index}.url_sources`;
      const { client_tool_results: client, server_tool_results: server } = config.url_sources;
      expectNames(client, custom, `${path}.client_tool_results`, "a custom tool of tools");
      expectNames(server, serverTools, `${path}.server_tool_results`, "web_search or web_fetch");
    }
  }
}

function expectNames(
  source: ToolSource | null,
  known: readonly string[],
  path: string,
  what: string,
): void {
  if (source === null || !("tools" in source)) return;
  const names = source.tools.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    const at = `${path}.tools.${index}.name`;
    if (names.indexOf(name) !== index)
      throw invalid(`${at}: ${JSON.stringify(name)} stands there twice; name it once.`);
    if (!known.includes(name))
      throw invalid(`${at}: ${JSON.stringify(name)} must be the name of ${what}.`);
  }
}
