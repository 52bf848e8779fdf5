// What the settings file says of the web: where agents search, and what searches and pages cost.
import Type, { type Static } from "typebox";
import { ExitError } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import type { Loaded } from "../../kernel/settings/load.ts";
import { limits } from "./limits.ts";

const Price = Type.Number({ minimum: 0, maximum: limits.priceMax });

export const webSection = defineSection({
  name: "web",
  describe: "Where agents search the web, and what it costs.",
  schema: Type.Object(
    {
      search_provider: Type.Optional(Type.Enum(["none", "searxng", "brave"])),
      /** Without the path that the provider's API has everywhere. */
      search_url: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
      search_key: Type.Optional(
        Type.String(
          worded("^[\\x21-\\x7e]{1,1024}$", "must have 1 to 1,024 characters without spaces"),
        ),
      ),
      /** In dollars, for a thousand searches. */
      search_price: Type.Optional(Price),
      /** In dollars, for a thousand pages. */
      fetch_price: Type.Optional(Price),
    },
    { additionalProperties: false },
  ),
  fallback: {},
});
type WebSection = Static<typeof webSection.schema>;

export type SearchProvider =
  | { name: "searxng"; url: string }
  | { name: "brave"; url: string; key: string };

export interface WebSettings {
  provider: SearchProvider | null;
  /** Whole nano-dollars a request. */
  priceNano: { web_search: number; web_fetch: number };
}

const braveUrl = "https://api.search.brave.com";
const usageExitCode = 2;

/** The key may be in the section or in the environment, which goes first. */
export function readWebSettings(
  { section, file = "the settings file" }: Pick<Loaded<unknown>, "section" | "file">,
  keyFromEnvironment: string | undefined,
): WebSettings {
  const web = section(webSection);
  const refuse = (words: string) =>
    new ExitError(`The section web of ${file} ${words}`, usageExitCode);
  return {
    provider: providerOf(web, keyFromEnvironment ?? web.search_key, refuse),
    priceNano: {
      web_search: nanoOf(web.search_price),
      web_fetch: nanoOf(web.fetch_price),
    },
  };
}

function providerOf(
  { search_provider: name = "none", search_url: given }: WebSection,
  key: string | undefined,
  refuse: (words: string) => ExitError,
): SearchProvider | null {
  if (name === "none") return null;
  const url = given ?? (name === "brave" ? braveUrl : undefined);
  if (url === undefined)
    throw refuse("names a search_provider and no search_url: give the address of the server.");
  const isGood = URL.canParse(url) && isPlainAddress(new URL(url));
  if (!isGood)
    throw refuse("has a search_url that is no http or https address without query and user name.");
  const plain = url.replace(/\/+$/, "");
  if (name === "searxng") return { name, url: plain };
  if (key === undefined)
    throw refuse("names brave and no key: give search_key, or set PLINTH_WEB_SEARCH_KEY.");
  return { name, url: plain, key };
}

const isPlainAddress = ({ protocol, username, password, search, hash }: URL) =>
  /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === "");

const nanoOf = (dollarsPerThousand = 0) => Math.round(dollarsPerThousand * 1_000_000);

const nothing: WebSettings = { provider: null, priceNano: { web_search: 0, web_fetch: 0 } };

export const webSettingsOf = ({ sections }: Pick<World, "sections">): WebSettings =>
  (sections?.["web"] as WebSettings | undefined) ?? nothing;
