// What the conformance tests of messages share: the client with an ear on its wire, and the ledger behind it.
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { sql } from "../../kernel/sql/statement.ts";
import type { House } from "../house.ts";
import { queryPosted } from "../posted.ts";

export const fallback07 = "server-side-fallback-2026-07-01";
export const fallback06 = "server-side-fallback-2026-06-01";
export const credit07 = "fallback-credit-2026-07-01";

export interface Seen {
  path: string;
  headers: Headers;
  // Bodies of every shape; what the tests claim about them is what they check.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  status: number;
}

type Options = NonNullable<ConstructorParameters<typeof Anthropic>[0]>;

/** The client as it is, but for a transport that notes what goes out. */
export function listeningClient(
  house: House,
  options: Options = {},
  transport: typeof fetch = fetch,
): { client: Anthropic; seen: Seen[] } {
  const seen: Seen[] = [];
  const noting: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    const note: Seen = { path: url.pathname, headers, body: bodyOf(init?.body), status: 0 };
    seen.push(note);
    const response = await transport(input, init);
    note.status = response.status;
    return response;
  };
  const apiKey = house.organizations.platform.api_key;
  const client = new Anthropic({
    baseURL: house.url,
    apiKey,
    fetch: noting,
    maxRetries: 0,
    logLevel: "off",
    ...options,
  });
  return { client, seen };
}

const bodyOf = (body: unknown): unknown =>
  typeof body === "string" ? (JSON.parse(body) as unknown) : undefined;

export async function failing<E extends abstract new (...from: never[]) => unknown>(
  kind: E,
  work: PromiseLike<unknown>,
): Promise<InstanceType<E>> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof kind, `${String(error)} is no ${kind.name}`);
    return error as InstanceType<E>;
  }
  return assert.fail(`no ${kind.name} was thrown`);
}

export interface LedgerRow {
  model: string;
  outcome: string;
  estimated: boolean;
  input: number;
  output: number;
  write5m: number;
  write1h: number;
  read: number;
  nano: number;
  list: number;
}

/** The hops of one request as they were settled, the first one first. */
export async function ledgerOf(
  house: House,
  requestId: string | null | undefined,
): Promise<LedgerRow[]> {
  assert.match(String(requestId), /^req_/);
  return queryPosted<LedgerRow>(
    house.world.db,
    sql`
    select model, outcome, estimated, input_tokens as input, output_tokens as output,
      cache_write_5m_tokens as write5m, cache_write_1h_tokens as write1h,
      cache_read_tokens as read, amount_nano as nano, list_amount_nano as list
    from ledger where request_id = ${String(requestId)} order by at, id`,
  );
}

/** What is open now must be nothing once everybody has been answered. */
export async function opensOf(house: House): Promise<number> {
  const [row] = await queryPosted<{ count: number }>(
    house.world.db,
    sql`select count(*) as count from ledger_opens`,
  );
  return row?.count ?? 0;
}

export const textOf = (content: readonly { type: string; text?: string }[]): string =>
  content.map(({ text = "" }) => text).join("");

/** Without what differs from one request to the next, and without what the client's own parser adds. */
export function withoutIds<T extends { id: string }>(message: T): Omit<T, "id"> {
  const { id, ...rest } = message;
  assert.match(id, /^msg_/);
  delete (rest as { parsed_output?: unknown }).parsed_output;
  return JSON.parse(JSON.stringify(rest)) as Omit<T, "id">;
}
