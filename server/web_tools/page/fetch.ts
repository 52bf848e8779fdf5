// The tool `web_fetch`: one page of the web as text, from wherever its address leads.
import { fetchOutside, type OutsideAnswer } from "../../../kernel/http/outside/fetch.ts";
import { OutsideFailure } from "../../../kernel/http/outside/failure.ts";
import type { World } from "../../../kernel/context.ts";
import type { AgentConfig } from "../../agents/module.ts";
import type { Turn } from "../../models/module.ts";
import {
  judgeTarget,
  type NetworkPolicy,
  type Refusal,
  portOf,
  textOf,
  ToolFault,
  type ToolInput,
  type ToolResult,
} from "../../sandboxes/module.ts";
import type { ToolSettings } from "../config.ts";
import { areDomainsGood, hostOf } from "../domains.ts";
import { limits } from "../limits.ts";
import { showAnswer } from "./content.ts";
import { isFromSources } from "./sources.ts";

export interface Fetching {
  settings: ToolSettings;
  config: AgentConfig;
  turns: readonly Turn[];
  policy: NetworkPolicy;
  onRefused: (refusal: Refusal) => void;
}

export async function fetchPage(
  world: World,
  input: ToolInput,
  fetching: Fetching,
  signal: AbortSignal,
): Promise<ToolResult> {
  const given = addressIn(input);
  const { settings, config, turns } = fetching;
  if (
    settings.url_sources != null &&
    !isFromSources(given, settings.url_sources, { turns, config })
  )
    throw new ToolFault(
      "url: only addresses may be fetched that stood in this conversation, where this agent takes them from; this one did not.",
    );
  const { url, answer } = await follow(world, given, fetching, signal);
  return showAnswer(world, { url, answer, settings, config, signal });
}

function addressIn(input: ToolInput): URL {
  const text = textOf(input, "url").trim();
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new ToolFault("url: must be an address that begins with https:// or http://.");
  if (text.length > limits.urlCharactersMax)
    throw new ToolFault(`url: must have at most ${limits.urlCharactersMax} characters.`);
  url.hash = "";
  return url;
}

interface Arrived {
  url: URL;
  answer: OutsideAnswer;
}

/** Rule WEB2: each address on the way is judged as the first one was. */
async function follow(
  world: World,
  given: URL,
  fetching: Fetching,
  signal: AbortSignal,
): Promise<Arrived> {
  const untilMs = world.clock.monotonicMs() + limits.pageMs;
  let url = given;
  for (let redirects = 0; redirects <= limits.redirectsMax; redirects++) {
    expectAllowed(url, fetching);
    const timeoutMs = Math.max(1, Math.ceil(untilMs - world.clock.monotonicMs()));
    const answer = await ask(world, url, timeoutMs, signal);
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status >= 400 || typeof location !== "string")
      return { url, answer };
    const next = URL.parse(location, url);
    if (next === null || !/^https?:$/.test(next.protocol))
      throw new ToolFault(`${url.href} leads to what is no address of the web.`);
    next.hash = "";
    url = next;
  }
  throw new ToolFault(`${given.href} leads on and on: more than ${limits.redirectsMax} redirects.`);
}

function expectAllowed(url: URL, { settings, policy, onRefused }: Fetching): void {
  const target = { host: hostOf(url), port: portOf(url) };
  const { host } = target;
  // Rule WEB3.
  const verdict = judgeTarget(policy, target);
  if (!verdict.isAllowed) {
    onRefused({ ...target, ...verdict });
    throw new ToolFault(
      verdict.reason === "port"
        ? `this environment allows ${host} at port ${verdict.ports.join(" and ")} alone.`
        : `${host} is none of the hosts that this environment may reach (networking.allowed_hosts).`,
    );
  }
  if (!areDomainsGood(settings, url))
    throw new ToolFault(`${host} is outside of the domains that this agent may fetch from.`);
}

async function ask(
  world: World,
  url: URL,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<OutsideAnswer> {
  try {
    return await fetchOutside(world, url.href, {
      headers: {
        "user-agent": `Plinth/${world.server.version}`,
        accept: "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.5",
      },
      bytesMax: limits.pageBytesMax,
      timeoutMs,
      takesRedirects: true,
      mayBePlain: true,
      signal,
    });
  } catch (error) {
    if (error instanceof OutsideFailure) throw new ToolFault(`${url.href} ${error.message}`);
    throw error;
  }
}
