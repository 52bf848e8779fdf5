// What tests of reports need: rows of the ledger as they come, and reports read to their end.
import { makeIds } from "../../kernel/base/ids.ts";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import {
  insertSettledAttempts,
  ledgerOf,
  nodeOf,
  type SettledAttempt,
  type Settlement,
} from "../../server/usage/module.ts";
import { hopOf, type FlatHop } from "../flat-hop.ts";
import type { Answer, House, Tenant } from "../house.ts";

const ids = makeIds(systemClock, systemRandom);

export interface AttemptRow {
  at: Date;
  tenant: Pick<Tenant, "organization_id" | "workspace_id">;
  hop?: Partial<FlatHop>;
  settlement?: Partial<Settlement>;
}

export const prices = { input: 3, output: 15, cacheWrite5m: 4, cacheWrite1h: 6, cacheRead: 1 };
const counts = { input: 10, output: 20, cacheWrite5m: 1, cacheWrite1h: 2, cacheRead: 5 };

/** Each has a payer of its own; a batch's are written in a transaction of their own. */
export async function writeAttempts({ world }: House, rows: readonly AttemptRow[]): Promise<void> {
  const node = nodeOf(world);
  await node.acquire();
  const ledger = ledgerOf(world);
  for (const row of rows) {
    const { hop, settlement } = attemptOf(row);
    if (hop.payer.kind === "batch")
      await world.db.tx(async (tx) =>
        (await insertSettledAttempts(tx, node, [{ hop, settlement }]))(),
      );
    else {
      const opened = ledger.open(hop);
      await ledger.close(hop.id, settlement);
      await opened;
    }
  }
}

export function attemptOf({ at, tenant, hop, settlement }: AttemptRow): SettledAttempt {
  return {
    hop: hopOf({
      id: ids.next("hop_"),
      requestId: ids.next("req_"),
      organizationId: tenant.organization_id,
      workspaceId: tenant.workspace_id,
      credentialId: "apikey_one",
      userId: null,
      model: "sim-large",
      upstream: "simulator",
      reserveNano: 1_000,
      at,
      kind: "message",
      prices,
      ...hop,
    }),
    settlement: {
      outcome: "served",
      counts,
      amountNano: 351,
      listAmountNano: 351,
      estimated: false,
      ...settlement,
    },
  };
}

export type Query = Record<string, string | number | boolean | readonly (string | number)[]>;

export const queryOf = (query: Query): string => {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (Array.isArray(value)) for (const each of value) text.append(`${name}[]`, String(each));
    else text.append(name, String(value));
  return text.toString();
};

export interface Reader {
  house: House;
  tenant: Tenant;
}

export const ask = ({ house, tenant }: Reader, path: string, query: Query): Promise<Answer> =>
  house.ask("GET", `/v1/organizations/${path}?${queryOf(query)}`, { key: tenant.admin_api_key });

/** All pages of a report. */
export async function readAll<T>(
  reader: Reader,
  path: string,
  query: Query,
  between: (page: number) => Promise<void> = async () => {},
): Promise<T[]> {
  const all: T[] = [];
  let page: string | undefined;
  for (let at = 0; ; at++) {
    const { status, body } = await ask(
      reader,
      path,
      page === undefined ? query : { ...query, page },
    );
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
    all.push(...(body.data as T[]));
    if (body.has_more !== true) return all;
    page = body.next_page as string;
    await between(at);
  }
}
