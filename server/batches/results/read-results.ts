// Reads the results of a batch: as one file, in parts, compressed, or a few of them for the console.
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGzip, constants } from "node:zlib";
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { Failure, invalid } from "../../../kernel/base/failure.ts";
import { readSegment } from "../../../kernel/blob/segments.ts";
import type { Context, Dialect, World } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import { ranged } from "../../../kernel/http/output/ranges.ts";
import { Reply } from "../../../kernel/http/output/reply.ts";
import { linesForDialect, type ByteRange } from "./result-lines.ts";
import { limits } from "../limits.ts";
import { expectResults } from "./lost.ts";
import { segmentKey } from "../blob-keys.ts";
import * as queries from "../queries.ts";
import { outcomes, type ResultQuery } from "../schema.ts";
import { archivedAt, findBatch } from "../service.ts";

type Files = Pick<World, "blobs" | "segmentOptions">;

/** The lines of all segments, one after the other; the same bytes whenever it is asked. */
export async function readResults(context: Context, id: string): Promise<Reply> {
  const { clock, db, dialect, headers } = context;
  const batch = await findBatch(context, id);
  if (batch.state !== "ended")
    throw invalid(
      `The batch ${id} has not ended: its results are there once processing_status is ended.`,
      { headers: { "x-should-retry": "false" } },
    );
  if (archivedAt(batch, clock.now()) !== undefined)
    throw new Failure(
      "not_found_error",
      `The results of the message batch ${id} are gone: they are kept for 29 days after its creation.`,
    );
  const segments = await queries.listSegments(db, id);
  await expectResults(context, id, segments);
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const lines = (range: ByteRange) => readLines(context, id, segments, range);
  const read = (range = { start: 0, end: bytes }) =>
    Readable.from(linesForDialect(lines, range, bytes, dialect), { objectMode: false });
  const wantsPart = headers.range !== undefined;
  if (!wantsPart && takesGzip(headers["accept-encoding"])) return zipped(read(), id, dialect);
  const etag = etagOf(id, dialect);
  return ranged(read, { bytes, type, etag, headers: fileHeaders(id) }, headers);
}

const type = "application/x-jsonl";
const etagOf = (id: string, dialect: Dialect, form = "") => `"${id}.${dialect}${form}"`;
const fileHeaders = (id: string) => ({
  vary: "accept-encoding, vendor-version, anthropic-version",
  "content-disposition": `attachment; filename="${id}_results.jsonl"`,
});

/** A coding that is named counts more than `*`. */
function takesGzip(accepted: string | string[] | undefined): boolean {
  const worths = new Map(
    String(accepted ?? "")
      .toLowerCase()
      .replaceAll(/\s/g, "")
      .split(",")
      .map((one) => {
        const [name = "", ...parameters] = one.split(";");
        const worth = parameters.find((each) => each.startsWith("q="))?.slice(2) ?? "1";
        return [name, Number(worth)];
      }),
  );
  return (worths.get("gzip") ?? worths.get("x-gzip") ?? worths.get("*") ?? 0) > 0;
}

/** The fastest level: results are long and alike, and it takes 9 ms a megabyte where the usual one takes 25. */
function zipped(lines: Readable, id: string, dialect: Dialect): Reply {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  lines.on("error", (error) => gzip.destroy(error));
  gzip.on("close", () => lines.destroy());
  const headers = {
    ...fileHeaders(id),
    "content-type": type,
    "content-encoding": "gzip",
    etag: etagOf(id, dialect, ".gzip"),
  };
  return new Reply(200, headers, { kind: "stream", stream: lines.pipe(gzip) });
}

async function* readLines(
  { blobs, segmentOptions }: Files,
  id: string,
  segments: readonly queries.Segment[],
  { start, end }: ByteRange,
): AsyncGenerator<Buffer> {
  let origin = 0;
  for (const { segment, bytes } of segments) {
    const range = { start: Math.max(0, start - origin), end: Math.min(bytes, end - origin) };
    origin += bytes;
    if (range.start >= range.end) continue;
    yield* (await readSegment(
      blobs,
      segmentKey(id, segment),
      range,
      segmentOptions,
    )) as AsyncIterable<Buffer>;
  }
}

/** A page of results with what they say, in the order of the requests. */
export async function browseResults(context: Context, id: string, query: ResultQuery) {
  const { db, clock, secrets, who } = context;
  const batch = await findBatch(context, id);
  const cursors = makeCursors(secrets);
  const list = `batch_results ${id}`;
  const after = cursors.read(list, who.organizationId, query.page) as number | undefined;
  const size = pageSize(query.limit);
  const isGone = archivedAt(batch, clock.now()) !== undefined;
  const rows = isGone
    ? []
    : await queries.listResults(db, id, {
        outcomes: query.outcome ?? outcomes,
        search: query.search ?? "",
        customId: query.custom_id ?? "",
        after: after ?? -1,
        rows: size + 1,
      });
  const page = toCursorPage(rows, size, (last) =>
    cursors.write(list, who.organizationId, last.index),
  );
  const bytesBySegment = new Map(page.data.map(({ segment, length }) => [segment, length]));
  const segments = Array.from(bytesBySegment, ([segment, bytes]) => ({ segment, bytes }));
  await expectResults(context, id, segments);
  return { ...page, data: await Promise.all(page.data.map((row) => shown(context, id, row))) };
}

async function shown({ blobs, segmentOptions }: Files, id: string, row: queries.ResultRow) {
  const { index, customId: custom_id, type, isRefusal, length, segment, start } = row;
  const outcome = isRefusal ? ("refused" as const) : type;
  const known = { index, custom_id, type, outcome, bytes: length };
  if (length > limits.shownBytesMax) return { ...known, result: null };
  const range = { start, end: start + length };
  const line = await buffer(
    await readSegment(blobs, segmentKey(id, segment), range, segmentOptions),
  );
  const { result } = parseExactly(line.toString("utf8")) as { result: { type: typeof type } };
  return { ...known, result };
}
