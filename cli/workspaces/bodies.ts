// `plinth workspaces bodies`: what a workspace keeps of its requests.
import type { RequestBodySettings } from "../../contract/types.ts";
import { askAsAdmin } from "../administration.ts";
import { confirm } from "../confirm.ts";
import type { YesFlags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { detailsTable, printResult } from "../print-result.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";

export interface BodiesFlags extends YesFlags {
  on?: boolean;
  off?: boolean;
  maxBytes?: number;
  keptDays?: number;
  /** An empty list takes all rules away. */
  redact?: Rule[];
  delete?: boolean;
}

export type Rule = RequestBodySettings["redact"][number];

export async function bodies(terminal: Terminal, id: string, flags: BodiesFlags): Promise<void> {
  const params = { workspace_id: id };
  const { on, off, maxBytes, keptDays, redact } = flags;
  if (on === true && off === true) throw new CliError("It is --on or --off.", exitCodes.usage);
  const body = {
    ...(on === true && { enabled: true }),
    ...(off === true && { enabled: false }),
    ...(maxBytes !== undefined && { max_bytes: maxBytes }),
    ...(keptDays !== undefined && { kept_days: keptDays }),
    ...(redact !== undefined && { redact }),
  };
  const isChanged = Object.keys(body).length > 0;
  if (flags.delete === true) {
    if (isChanged)
      throw new CliError(
        "--delete stands alone: change the rest before or after.",
        exitCodes.usage,
      );
    return await deleteKept(terminal, id, flags);
  }
  const settings = await askAsAdmin(terminal, flags, ({ workspaces: { request_bodies: api } }) =>
    isChanged ? api.update({ params, body }) : api.retrieve({ params }),
  );
  printResult(terminal, flags, settings, () => detailsOf(settings));
}

async function deleteKept(terminal: Terminal, id: string, flags: BodiesFlags): Promise<void> {
  if (flags.yes !== true)
    await confirm(
      terminal,
      `Delete all that ${id} has kept of its requests, for ever?`,
      "Nothing was deleted.",
    );
  const deleted = await askAsAdmin(terminal, flags, (client) =>
    client.workspaces.request_bodies.delete({ params: { workspace_id: id } }),
  );
  printResult(terminal, flags, deleted, () => `deleted ${deleted.deleted}\n`);
}

const detailsOf = (settings: RequestBodySettings): string =>
  detailsTable([
    ["workspace", settings.workspace_id],
    ["kept", settings.enabled ? "yes" : "no"],
    ["at most", `${settings.max_bytes} bytes of a request, and of its answer`],
    ["for", `${settings.kept_days} ${settings.kept_days === 1 ? "day" : "days"}`],
    ["without", ["secrets", ...settings.redact.map(ruleInWords)].map(escapeControls).join(", ")],
    ...(settings.kept_since === null
      ? []
      : [["deleted", `what came before ${settings.kept_since}`] as const]),
  ]);

function ruleInWords(rule: Rule): string {
  if (rule.type === "field") return `field:${rule.field}`;
  return rule.type === "word" ? `word:${rule.word}` : rule.type;
}
