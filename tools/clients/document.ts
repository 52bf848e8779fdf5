// The table of clients in docs/COMPATIBILITY.md: a run writes the rows of the clients that it tried.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run.ts";
import type { Client } from "./client-list.ts";

const document = join(root, "docs/COMPATIBILITY.md");
const begin = "<!-- clients: npm run clients writes this table -->\n";
const end = "<!-- end of clients -->";
const head = "| Client | Version | Flows | Result |\n|---|---|---|---|\n";

export interface ClientResult {
  client: Client;
  flows: readonly { flow: string; ok: boolean }[];
  /** Why there are no flows. */
  missing?: string;
}

export function tableRow({ client, flows, missing }: ClientResult): string {
  const [[name, version] = ["", ""], ...rest] = Object.entries(client.packages);
  const others = rest.map(([other, at]) => `\`${other}\` ${at}`);
  const passed = flows.filter(({ ok }) => ok).length;
  const failed = flows.filter(({ ok }) => !ok).map(({ flow }) => flow);
  const result =
    missing ??
    `${passed} of ${flows.length}${failed.length > 0 ? `; fails: ${failed.join("; ")}` : ""}`;
  const cells = [
    `${client.title}, \`${name}\`${others.length > 0 ? `, with ${others.join(", ")}` : ""}`,
    version,
    flows.map(({ flow }) => flow).join("; "),
    result,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Rows of clients that were not tried stay as they are; the order is that of the list. */
export function writeTable(all: readonly Client[], tried: readonly ClientResult[]): void {
  const text = readFileSync(document, "utf8");
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  if (from < begin.length || to < from) throw new Error(`${document} has no place for the table.`);
  const old = text.slice(from, to).split("\n");
  const rows = all.flatMap((client) => {
    const now = tried.find((each) => each.client.id === client.id);
    if (now !== undefined) return [tableRow(now)];
    const [first = ""] = tableRow({ client, flows: [] }).split(" |  |");
    return old.filter((row) => row.startsWith(first));
  });
  writeFileSync(document, `${text.slice(0, from)}${head}${rows.join("\n")}\n${text.slice(to)}`);
}
