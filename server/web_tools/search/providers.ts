// The search servers that this one can ask, each in its own words.
import type { SearchProvider } from "../settings.ts";
import type { UserLocation } from "../config.ts";
import { limits } from "../limits.ts";

export interface SearchQuery {
  query: string;
  location: UserLocation | null;
}

export interface SearchRequest {
  url: string;
  headers: Record<string, string>;
}

/** As providers give it: titles and snippets may have tags in them. */
export interface FoundPage {
  url: string;
  title: string;
  /** In the provider's words: "3 days ago", or a date. */
  age: string;
  snippet: string;
}

export function requestOf(provider: SearchProvider, query: SearchQuery): SearchRequest {
  return provider.name === "brave"
    ? braveRequest(provider, query)
    : searxngRequest(provider, query);
}

/** It takes no location: only a language, which the query shows by itself. */
function searxngRequest({ url }: { url: string }, { query }: SearchQuery): SearchRequest {
  const asked = new URLSearchParams({ q: query, format: "json" });
  return { url: `${url}/search?${asked.toString()}`, headers: { accept: "application/json" } };
}

function braveRequest(
  { url, key }: { url: string; key: string },
  { query, location }: SearchQuery,
): SearchRequest {
  const asked = new URLSearchParams({
    q: query,
    count: String(limits.resultsAskedFor),
    text_decorations: "false",
    ...(location?.country != null && { country: location.country }),
  });
  const headers: Record<string, string> = {
    accept: "application/json",
    "x-subscription-token": key,
  };
  for (const [name, value] of [
    ["x-loc-country", location?.country],
    ["x-loc-city", location?.city],
    ["x-loc-state-name", location?.region],
    ["x-loc-timezone", location?.timezone],
  ] as const)
    // A header holds ASCII; where a place has another name it is left out.
    if (value != null && /^[\x20-\x7e]+$/.test(value)) headers[name] = value;
  return { url: `${url}/res/v1/web/search?${asked.toString()}`, headers };
}

/** Undefined where the answer has no such shape. What is no page among its results is passed by. */
export function foundIn({ name }: SearchProvider, answer: unknown): FoundPage[] | undefined {
  const results =
    name === "brave" ? braveResults(answer) : (answer as { results?: unknown } | null)?.results;
  return Array.isArray(results)
    ? results.flatMap((result: unknown) => pageOf(result, name))
    : undefined;
}

/** Without results of the web it leaves them out. */
function braveResults(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return undefined;
  const { web, type } = answer as { web?: { results?: unknown } | null; type?: unknown };
  return web?.results ?? (type === "search" ? [] : undefined);
}

function pageOf(result: unknown, name: SearchProvider["name"]): FoundPage[] {
  const fields = (typeof result === "object" && result !== null ? result : {}) as Record<
    string,
    unknown
  >;
  const textIn = (field: string) => (typeof fields[field] === "string" ? fields[field] : "");
  const url = URL.parse(textIn("url"));
  if (url === null || !/^https?:$/.test(url.protocol)) return [];
  const [age, snippet] =
    name === "brave"
      ? [textIn("age") || textIn("page_age"), textIn("description")]
      : [textIn("publishedDate"), textIn("content")];
  return [{ url: url.href, title: textIn("title"), age, snippet }];
}
