// The export of the audit log: one process reads behind its cursors, writes, and moves them when that is done.
import type { World } from "../../../kernel/context.ts";
import { isFailure } from "../../../kernel/base/failure.ts";
import { hold, type Held, type Holder } from "../../../kernel/work/hold.ts";
import { LeaseLost, type Lease } from "../../../kernel/work/lease.ts";
import { leaseLimits } from "../../../kernel/work/limits.ts";
import { isWorthALine } from "../../../kernel/work/keep-leases.ts";
import { listBehind, type ListedRow } from "../queries.ts";
import { toEvent } from "../service-read.ts";
import { exportLimits } from "./limits.ts";
import * as queries from "./queries.ts";
import { targetInWords, type AuditExportSettings } from "./settings.ts";
import { SinkFailure, sinkTo, type Sink } from "./sink.ts";

/** Lines that are written together, and where each organization is when they are. */
interface Batch {
  lines: string[];
  bytes: number;
  cursors: Map<string, number>;
}

const emptyBatch = (): Batch => ({ lines: [], bytes: 0, cursors: new Map() });

/** Rule AUD16: sequence and organization tell a repeat from an event. */
const lineOf = (organizationId: string, row: ListedRow): string => {
  const { id, type, ...rest } = toEvent(row);
  return `${JSON.stringify({ id, type, organization_id: organizationId, ...rest })}\n`;
};

/** A smaller batch is tried at once. */
class TooManyLines extends Error {}

/** Begins at once; the result ends it, after the write under way. */
export function startExport(world: World, settings: AuditExportSettings): () => Promise<void> {
  const exporter = new Exporter(world, settings);
  return exporter.start();
}

class Exporter {
  readonly #world: World;
  readonly #name: string;
  /** For the log. */
  readonly #place: string;
  readonly #sink: Sink;
  readonly #holder: Holder<Lease>;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #failures = 0;
  /** Halved where a sink takes no more at once; grows by one with each batch that it takes. */
  #linesMax: number = exportLimits.linesMax;

  constructor(world: World, { name, target }: AuditExportSettings) {
    this.#world = world;
    this.#name = name;
    this.#place = targetInWords(target);
    this.#sink = sinkTo(world, target);
    const owner = world.ids.next("process_");
    this.#holder = hold<Lease>(world, {
      name: "export of the audit log",
      leasable: queries.exportLeases,
      times: { ...leaseLimits, pollMs: leaseLimits.heartbeatMs },
      claim: async ({ take }) => {
        if (this.#running === undefined)
          await take(() => queries.claimExport(world.db, owner, name));
      },
      on: (held) => {
        this.#running = this.#run(held).finally(() => {
          this.#running = undefined;
          // Where it ended by itself, the lease lapses, and is claimed anew.
          if (!this.#stopping.signal.aborted) held.end();
          this.#holder.wake();
        });
      },
      isIdle: () => this.#running === undefined,
    });
  }

  start(): () => Promise<void> {
    this.#holder.start();
    return async () => {
      this.#stopping.abort(new Error("the server stops"));
      // Given back when nothing more is written: the next process must not write before this one has ended.
      await this.#running;
      await this.#holder.stop();
    };
  }

  async #run(held: Held<Lease>): Promise<void> {
    const signal = AbortSignal.any([held.signal, this.#stopping.signal]);
    const { clock } = this.#world;
    while (!signal.aborted) {
      try {
        const wrote = await this.#pass(held, signal);
        if (!wrote) await clock.sleep(exportLimits.pollMs, signal);
      } catch (error) {
        if (signal.aborted || error instanceof LeaseLost) return;
        if (error instanceof TooManyLines) continue;
        await this.#failed(error);
        await clock.sleep(this.#pauseMs(), signal);
      }
    }
  }

  #pauseMs(): number {
    const { backoffMs, backoffMsMax } = exportLimits;
    return Math.min(backoffMs * 2 ** Math.min(this.#failures - 1, 30), backoffMsMax);
  }

  /** Rule AUD18. */
  async #failed(error: unknown): Promise<void> {
    const { logger, db, clock } = this.#world;
    const facts = { sink: this.#place, failures: ++this.#failures };
    if (!(error instanceof SinkFailure)) {
      // The database is away, or a bug: the sink has done nothing.
      const words = "the audit log could not be exported; trying again";
      if (isWorthALine(this.#failures))
        logger[isFailure(error) ? "warn" : "error"]({ ...facts, error }, words);
      return;
    }
    const { message } = error;
    if (isWorthALine(this.#failures))
      logger.warn(facts, `the audit log is not exported: the sink ${message}`);
    try {
      const failure = { at: clock.now(), error: message };
      await db.tx((tx) => queries.noteFailure(tx, this.#name, failure));
    } catch (noteError) {
      logger.warn({ error: noteError }, "how the export of the audit log goes was not written");
    }
  }

  /** All organizations in turn, each as many events as one batch holds: a long log does not hold up the others. */
  async #pass(held: Held<Lease>, signal: AbortSignal): Promise<boolean> {
    const { db } = this.#world;
    const rows = exportLimits.organizationsAtOnce;
    let batch = emptyBatch();
    let wrote = false;
    for (let after = ""; ;) {
      const behind = await queries.listBehindExport(db, this.#name, { after, rows });
      for (const { organizationId, sequence } of behind) {
        const window = { seq: sequence, rows: this.#linesMax };
        for (const row of await listBehind(db, organizationId, window)) {
          const line = lineOf(organizationId, row);
          if (this.#isFull(batch, line)) {
            await this.#write(held, batch, signal);
            batch = emptyBatch();
          }
          batch.lines.push(line);
          wrote = true;
          batch.bytes += Buffer.byteLength(line);
          batch.cursors.set(organizationId, row.seq);
        }
        after = organizationId;
      }
      if (behind.length < rows) break;
    }
    if (batch.lines.length > 0) await this.#write(held, batch, signal);
    return wrote;
  }

  #isFull({ lines, bytes }: Batch, next: string): boolean {
    if (lines.length === 0) return false;
    return (
      lines.length >= this.#linesMax || bytes + Buffer.byteLength(next) > exportLimits.bytesMax
    );
  }

  /** Rules AUD16 and AUD17: the cursors move behind the write, and only while this process has the lease. */
  async #write(held: Held<Lease>, batch: Batch, signal: AbortSignal): Promise<void> {
    const { db, clock, logger } = this.#world;
    signal.throwIfAborted();
    if (!held.isSure()) throw new LeaseLost("the export of the audit log", held.lease);
    try {
      await this.#sink(batch.lines.join(""), signal);
    } catch (error) {
      if (error instanceof SinkFailure && error.isTooLarge && batch.lines.length > 1) {
        this.#linesMax = Math.floor(batch.lines.length / 2);
        throw new TooManyLines(error.message, { cause: error });
      }
      throw error;
    }
    const cursors = [...batch.cursors].map(([organizationId, sequence]) => ({
      organizationId,
      sequence,
    }));
    await db.tx(async (tx) => {
      await held.fence(tx);
      await queries.moveCursors(tx, this.#name, cursors, clock.now());
    });
    if (this.#failures > 0)
      logger.info(
        { sink: this.#place, failures: this.#failures },
        "the audit log is exported again",
      );
    this.#failures = 0;
    this.#linesMax = Math.min(this.#linesMax + 1, exportLimits.linesMax);
  }
}
