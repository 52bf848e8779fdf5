// Scopes as rules write them: one text, with blanks between.
import { invalid } from "../../../kernel/base/failure.ts";
import { tokenScopes, type TokenScope } from "../../tokens/module.ts";

const known: readonly string[] = tokenScopes;

export function readScopes(text: string): TokenScope[] {
  const scopes = [...new Set(text.split(" ").filter((scope) => scope !== ""))];
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown !== undefined || scopes.length === 0)
    throw invalid(`oauth_scope: must be one or more of ${known.join(", ")}, with blanks between.`);
  return scopes as TokenScope[];
}

const isOfWorkspace = (scope: string) => scope.startsWith("workspace:");

/** The scope by which a token may manage rules (rule FED11). */
export const workspaceScopesAlone = (scopes: readonly string[]) => scopes.every(isOfWorkspace);
/** Whether a token with these scopes belongs to a workspace. */
export const needsWorkspace = (scopes: readonly string[]) => scopes.some(isOfWorkspace);
