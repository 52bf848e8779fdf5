// A database whose blobs are lost: starting it all the same, and saying what is gone.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { plural } from "../../kernel/base/plural.ts";
import type { World } from "../../kernel/context.ts";
import { adoptDirectory } from "../../kernel/blob/store-id.ts";
import { countLostResults } from "../batches/module.ts";
import { countLostFiles } from "../files/module.ts";

/** The id of the blob directory; undefined where it is lost. */
export const foundStoreId = (dataDirectory: string): Promise<string | undefined> =>
  readFile(join(dataDirectory, "blobs/store-id"), "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );

export async function adoptBlobs(expected: string, dataDirectory: string): Promise<void> {
  if ((await foundStoreId(dataDirectory)) === expected) return;
  const directory = join(dataDirectory, "blobs");
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await adoptDirectory(directory, expected);
}

/** What the database names and the disk lacks: one line each, none where all is there. */
export async function listLostBlobs(
  world: Pick<World, "db" | "blobs" | "segmentOptions">,
): Promise<string[]> {
  const files = await countLostFiles(world);
  const { results, requests } = await countLostResults(world);
  return [
    ...(files === 0 ? [] : [`the bytes of ${plural(files, "file")}`]),
    ...(results === 0 ? [] : [`results of ${plural(results, "batch", "batches")}`]),
    ...(requests === 0
      ? []
      : [`the requests of ${plural(requests, "batch", "batches")} that had not ended`]),
  ];
}
