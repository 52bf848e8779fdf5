// Where a request stands.
import type { Context } from "../../kernel/context.ts";
import { invalid } from "../../kernel/base/failure.ts";

/** The workspace that what it asks for belongs to: such routes want a credential that has one. */
export function workspaceOf({ who }: Context): string {
  if (who.workspaceId === null)
    throw invalid("This credential stands above workspaces: use an API key of a workspace.");
  return who.workspaceId;
}
