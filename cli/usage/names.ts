// Names for ids that the ledger knows alone.
import type { Client } from "../../contract/client.ts";
import { namesOf } from "../names.ts";
import type { ReportLine } from "./read.ts";

/** A caller who may not read the lists that have them sees ids. */
export async function addNames(client: Client, lines: readonly ReportLine[]): Promise<void> {
  const unnamed = lines.filter(({ id, name }) => id !== "" && name === null);
  const names = await namesOf(
    client,
    unnamed.map(({ id }) => id),
  );
  for (const line of unnamed) line.name = names.get(line.id) ?? null;
}
