// Keeps the last requests of each provider, so that an owner sees whether it works and what went wrong.
import { redactKeys } from "../../../kernel/base/redact-keys.ts";
import type { Context, World } from "../../../kernel/context.ts";
import type { AnsweredRequest } from "../../../kernel/http/exchange/exchange.ts";
import { part } from "../../../kernel/work/parts.ts";
import * as queries from "./queries-requests.ts";
import { touchTokens } from "./queries-tokens.ts";
import { limits } from "../limits.ts";

interface RequestLog {
  /** Written soon, many at once; a request never waits for it. */
  note(facts: AnsweredRequest): void;
  /** The remaining ones are written. */
  written(): Promise<void>;
}

const waitingMax = 10_000;

function makeRequestLog(world: World): RequestLog {
  const { db, clock, ids, logger } = world;
  let waiting: queries.RequestRow[] = [];
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await db.tx(async (tx) => {
          await queries.insertRequests(tx, batch);
          for (const organizationId of new Set(batch.map((row) => row.organization_id)))
            await queries.deleteOldRequests(tx, organizationId, limits.requestsKept);
          await touchTokens(tx, new Map(batch.map((row) => [row.token_id, row.at])));
        });
      } catch (error) {
        logger.warn({ error: String(error) }, "keeping the requests of SCIM failed");
      }
    }
    writing = undefined;
  }

  return {
    note: (facts) => {
      if (facts.who === undefined || waiting.length >= waitingMax) return;
      waiting.push({
        id: ids.next("scimreq_"),
        organization_id: facts.who.organizationId,
        token_id: facts.who.credentialId,
        at: clock.now(),
        method: facts.method,
        path: facts.path.slice(0, 200),
        status: facts.status,
        milliseconds: Math.round(facts.seconds * 1000),
        problem:
          facts.failure === undefined ? null : redactKeys(facts.failure.message).slice(0, 500),
      });
      writing ??= write();
    },
    written: async () => {
      await writing;
    },
  };
}

export const requestLogPart = part("requests of SCIM", {
  make: (world: World) => makeRequestLog(world),
  start: (_world, requests) => requests.written,
});

export async function listRequests({ db, who }: Context) {
  const rows = await queries.listRequests(db, who.organizationId, limits.requestsKept);
  return {
    data: rows.map(({ id, at, ...row }) => ({
      id,
      type: "scim_request" as const,
      at: at.toISOString(),
      method: row.method,
      path: row.path,
      status: row.status,
      milliseconds: row.milliseconds,
      problem: row.problem,
    })),
  };
}
