// Archiving a workspace: its keys end with it, so it stands with them.
import type { Context } from "../../kernel/context.ts";
import * as workspaces from "../workspaces/module.ts";
import * as queries from "./queries.ts";
import { verdictsOf } from "./verdicts.ts";

/** Rules WSP7 and WSP8. */
export function archiveWorkspace(context: Context, id: string) {
  return context.db.tx((tx) =>
    workspaces.archiveWorkspace(tx, context, id, async () => {
      const ended = await queries.archiveKeys(tx, context.who.organizationId, id);
      await verdictsOf(context).revoke(tx);
      return ended;
    }),
  );
}
