// Files whose bytes are not on the disk, as after a restore without blobs.
import type { World } from "../../kernel/context.ts";
import { blobKey } from "./bytes/blob-keys.ts";
import * as queries from "./queries-lost.ts";

const rows = 1_000;

/** How many files have lost their bytes; several may share them. */
export async function countLostFiles({ db, blobs }: Pick<World, "db" | "blobs">): Promise<number> {
  let lost = 0;
  for (let after = ""; ;) {
    const page = await queries.listContents(db, after, rows);
    for (const { organizationId, blobId, files } of page)
      if ((await blobs.stat(blobKey(organizationId, blobId))) === undefined) lost += files;
    const last = page.at(-1);
    if (last === undefined || page.length < rows) return lost;
    after = last.blobId;
  }
}
