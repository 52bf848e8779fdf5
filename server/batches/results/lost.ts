// Batches whose requests or results are not on the disk, as after a restore without blobs.
import { Failure } from "../../../kernel/base/failure.ts";
import { hasSegment } from "../../../kernel/blob/segments.ts";
import type { World } from "../../../kernel/context.ts";
import { requestsKey, segmentKey } from "../blob-keys.ts";
import type { Segment } from "../queries.ts";
import * as queries from "./queries-lost.ts";

type Files = Pick<World, "blobs" | "segmentOptions">;

const rows = 1_000;

/** How many batches have lost results, and how many that had not ended their requests. */
export async function countLostResults(world: Files & Pick<World, "db">) {
  const withoutResults = new Set<string>();
  let requests = 0;
  for (let after = { batchId: "", segment: -1 }; ;) {
    const page = await queries.listSegments(world.db, after, rows);
    for (const each of page)
      if (!(await isThere(world, each.batchId, each))) withoutResults.add(each.batchId);
    const last = page.at(-1);
    if (last === undefined || page.length < rows) break;
    after = last;
  }
  for (let after = ""; ;) {
    const page = await queries.listOpen(world.db, after, rows);
    for (const { id } of page)
      if ((await world.blobs.stat(requestsKey(id))) === undefined) requests++;
    const last = page.at(-1);
    if (last === undefined || page.length < rows) break;
    after = last.id;
  }
  return { results: withoutResults.size, requests };
}

const isThere = ({ blobs, segmentOptions }: Files, id: string, { segment, bytes }: Segment) =>
  bytes === 0 ? true : hasSegment(blobs, segmentKey(id, segment), segmentOptions);

/** Before the first byte is sent: behind it all that is left would be to cut the answer. */
export async function expectResults(
  files: Files,
  id: string,
  segments: readonly Segment[],
): Promise<void> {
  for (const each of segments)
    if (!(await isThere(files, id, each)))
      throw new Failure(
        "not_found_error",
        `Results of the message batch ${id} are lost: the database was started without the files that hold them.`,
        { code: "content_lost" },
      );
}
