// `plinth memory redact`: scrubs versions, and says what that does not reach.
import { ApiError, type Client } from "../../contract/client.ts";
import type { MemoryVersion } from "../../contract/types.ts";
import type { RedactFlags } from "./options.ts";
import { confirm } from "../confirm.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, type Terminal } from "../terminal.ts";
import { formatCount, plural } from "../../client/text/words.ts";
import { findStore } from "./find.ts";

export async function redact(
  terminal: Terminal,
  storeName: string,
  ids: readonly string[],
  flags: RedactFlags,
): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const store = await withServerErrors(client, () => findStore(client, storeName, flags));
  const wanted = [...new Set(ids)];
  if (flags.yes !== true) {
    terminal.note(`${consequence(wanted.length)}\n`);
    await confirm(terminal, "Redact?", "Nothing was redacted.");
  }
  const done: MemoryVersion[] = [];
  try {
    await withServerErrors(client, () =>
      redactAll(client, { storeId: store.id, wanted, flags, done }),
    );
  } catch (error) {
    if (error instanceof CliError && wanted.length > 1)
      throw new CliError(
        `${error.message} ${formatCount(done.length)} of ${plural(wanted.length, "version")} are redacted.`,
        error.exitCode,
      );
    throw error;
  } finally {
    // Printed also where the rest failed: what is gone is gone.
    if (flags.json === true) terminal.write(`${JSON.stringify({ data: done })}\n`);
    else if (flags.quiet !== true)
      for (const { id, redacted_at: at } of done) terminal.write(`redacted ${id} ${at}\n`);
  }
  if (flags.json !== true && flags.quiet !== true) terminal.note(`${terminal.dim(leftOver)}\n`);
}

const consequence = (versions: number) =>
  `Text, path and hash of ${plural(versions, "version")} will be gone for good. That cannot be undone.`;

const leftOver =
  "Who wrote and when stays. Not reached: other versions with the same text, backups of the database, and exports made before.";

interface Redaction {
  storeId: string;
  wanted: readonly string[];
  flags: RedactFlags;
  done: MemoryVersion[];
}

async function redactAll(client: Client, { storeId, wanted, flags, done }: Redaction) {
  const { reason } = flags;
  for (const id of wanted) {
    const params = { memory_store_id: storeId, memory_version_id: id };
    try {
      done.push(
        await client.memory_stores.memory_versions.redact({
          params,
          ...(reason !== undefined && { body: { reason } }),
        }),
      );
    } catch (error) {
      if (error instanceof ApiError && error.status === 404)
        throw new ApiError(`${error.message} plinth memory log shows which there are.`, error);
      throw error;
    }
  }
}
