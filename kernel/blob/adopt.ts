// Gives an empty blob directory the name that a database expects, where the blobs of that database are lost for good.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Refusal } from "../base/failure.ts";
import { fileMode, syncDirectory, walkFiles } from "./disk.ts";

/** Files that are there belong to another database, which would lose them: then it refuses. */
export async function adoptDirectory(directory: string, storeId: string): Promise<void> {
  for (const name of ["objects", "tails"])
    for await (const path of walkFiles(join(directory, name)))
      throw new Refusal(
        `${directory} is not empty (it holds ${name}/${path}), so nothing is adopted: move what belongs to another database away, or put these files' own store-id back.`,
      );
  const path = join(directory, "store-id");
  await rm(path, { force: true });
  await writeFile(path, `${storeId}\n`, { mode: fileMode, flush: true });
  await syncDirectory(directory);
}
