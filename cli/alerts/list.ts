// `plinth alerts`: what fires, and what has fired.
import type { Alert } from "../../contract/types.ts";
import { askAsAdmin } from "../administration.ts";
import { escapeControls } from "../print-answer.ts";
import type { Terminal } from "../terminal.ts";
import { printPage } from "../workspace-calls.ts";
import type { ListFlags } from "./options.ts";

const timeOf = (at: string | null): string => at?.slice(0, 16).replace("T", " ") ?? "-";

export async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  const { limit, page: cursor, all = false } = flags;
  const query = { limit, page: cursor, ...(!all && { state: "firing" as const }) };
  const page = await askAsAdmin(terminal, flags, (client) => client.alerts.list({ query }));
  printPage(terminal, flags, page, {
    titles: ["STATE", "KIND", "SINCE", "UNTIL", "WHAT"],
    row: ({ state, kind, firing_since: since, resolved_at: until, summary }: Alert) => [
      state,
      kind,
      timeOf(since),
      timeOf(until),
      escapeControls(summary),
    ],
    none: all ? "There was no alert." : "Nothing fires.",
  });
}
