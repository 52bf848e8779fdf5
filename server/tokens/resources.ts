// What a token can be bound to in place of the API (RFC 8707), and which scopes a request names.
import type { World } from "../../kernel/context.ts";
import { GrantRefusal } from "./refusal.ts";
import type { TokenResource } from "./schema.ts";

/** The address by which clients name it. */
export const addressOfResource = (
  { publicUrl }: Pick<World, "publicUrl">,
  resource: TokenResource,
) => `${publicUrl}/${resource}`;

/** Undefined where the request names none; a refusal where it names what this server does not have. */
export function namedResource(
  world: Pick<World, "publicUrl">,
  text: string | undefined,
): TokenResource | undefined {
  if (text === undefined || text === "") return undefined;
  const mcp = addressOfResource(world, "mcp");
  if (withoutSlash(text) === withoutSlash(mcp)) return "mcp";
  throw new GrantRefusal("invalid_target", `resource: must be ${mcp}, or left out.`);
}

/** In small letters where case says nothing, and without a slash at the end. */
function withoutSlash(text: string): string {
  const { href } = URL.canParse(text) ? new URL(text) : { href: text };
  return href.replace(/\/$/, "");
}

/** OpenID's word for a refresh token, which comes with every sign-in. */
const offlineAccess = "offline_access";

export const scopesIn = (text: string): ReadonlySet<string> =>
  new Set(text.split(/\s+/).filter((scope) => scope !== "" && scope !== offlineAccess));

/** Rule TOK9: those of a sign-in that a request names; all of them where it names none. */
export function fewerScopes(of: readonly string[], text: string | undefined): readonly string[] {
  const asked = scopesIn(text ?? "");
  const beyond = [...asked].find((scope) => !of.includes(scope));
  if (beyond !== undefined)
    throw new GrantRefusal(
      "invalid_scope",
      `scope: ${JSON.stringify(beyond.slice(0, 100))} is none of ${of.join(", ")}, which were granted.`,
    );
  return asked.size === 0 ? of : of.filter((scope) => asked.has(scope));
}
