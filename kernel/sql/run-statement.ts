// One statement on one connection.
import type pg from "pg";
import { asFailure } from "./driver-errors.ts";
import type { SilenceWatch } from "./silence-watch.ts";
import type { Statement } from "./statement.ts";

/** A connection that one caller has taken from the pool. */
export interface CheckedOutClient {
  client: pg.PoolClient;
  silenceWatch: SilenceWatch;
  lose(error: Error): void;
}

/** Statements that are asked for in one go leave in one piece. */
function gatherWrites({ connection: { stream } }: pg.PoolClient): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

export async function run<Row extends object>(
  { client, silenceWatch }: CheckedOutClient,
  { text, values, name }: Statement,
  silentMsMax?: number,
): Promise<Row[]> {
  try {
    gatherWrites(client);
    const query = {
      text,
      values: values as unknown[],
      ...(name && { name }),
      ...(silentMsMax && { query_timeout: silentMsMax }),
    };
    const result = await silenceWatch.during(client, () => client.query<Row>(query));
    // Text with several statements, as a migration has, gives an array of results.
    return Array.isArray(result) ? [] : result.rows;
  } catch (error) {
    throw asFailure(error);
  }
}
