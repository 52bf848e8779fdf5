// What the tests of the pages of batches share: requests of each kind, files of them, and batches made of them.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import type { House } from "../house.ts";
import { testTimeoutMs } from "../test-timeout.ts";

export const path = "/console/batches";

export const request = (custom_id: string, content: string) => ({
  custom_id,
  params: { model: "sim-large", max_tokens: 500, messages: [{ role: "user", content }] },
});

/** More than a page of results, and among them each kind that comes without canceling or waiting a day. */
export const mixed = [
  ...Array.from({ length: 22 }, (_, place) =>
    request(`page-${String(place + 1).padStart(3, "0")}`, `[[say "Answer ${place + 1}."]]`),
  ),
  request("broken-1", "[[fail status=400]]"),
  request("broken-2", "[[fail status=400]]"),
  request("refused-1", "[[refuse category=cyber models=*]]"),
  request("long-1", `[[tokens 90]] ${"Tell me more. ".repeat(20)}`),
];

/** They take eight minutes unless they are canceled: on a slow machine, too, they run while a test looks. */
export const slow = Array.from({ length: 3 }, (_, place) =>
  request(`slow-${place + 1}`, "[[rate 1]] [[tokens 500]]"),
);

export const lines = (requests: readonly object[]): string =>
  requests.map((each) => JSON.stringify(each)).join("\n");

export const file = (name: string, text: string) => ({
  name,
  mimeType: "application/jsonl",
  buffer: Buffer.from(text),
});

export interface Caller {
  house: House;
  tenant?: keyof House["organizations"];
  workspace?: string;
}

const headersOf = ({ workspace }: Caller): Record<string, string> =>
  workspace === undefined ? {} : { "anthropic-workspace-id": workspace };
const cookieOf = ({ house, tenant = "platform" }: Caller) => house.organizations[tenant].cookie;

export async function submit(caller: Caller, requests: readonly object[]): Promise<string> {
  const { status, body } = await caller.house.ask("POST", "/v1/messages/batches", {
    cookie: cookieOf(caller),
    headers: headersOf(caller),
    body: { requests },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.id;
}

export async function cancel(caller: Caller, id: string): Promise<void> {
  const { status } = await caller.house.ask("POST", `/v1/messages/batches/${id}/cancel`, {
    cookie: cookieOf(caller),
    headers: headersOf(caller),
  });
  assert.equal(status, 200);
}

export async function waitUntilEnded(caller: Caller, id: string): Promise<void> {
  const end = performance.now() + testTimeoutMs;
  for (;;) {
    const { body } = await caller.house.ask("GET", `/v1/messages/batches/${id}`, {
      cookie: cookieOf(caller),
      headers: headersOf(caller),
    });
    if (body.processing_status === "ended") return;
    assert.ok(performance.now() < end, `${id} has not ended`);
  }
}

/** What comes after the end of batches is done too: no house closes before. */
export async function waitForJobs({ world }: House): Promise<void> {
  const end = performance.now() + testTimeoutMs;
  for (;;) {
    const jobs = await world.db.query<{ kind: string }>(sql`select kind from jobs`);
    if (jobs.length === 0) return;
    assert.ok(performance.now() < end, `${jobs.map(({ kind }) => kind).join()} are not done`);
  }
}

/** A batch whose requests have all their result. */
export async function makeEndedBatch(caller: Caller, requests: readonly object[]): Promise<string> {
  const id = await submit(caller, requests);
  await waitUntilEnded(caller, id);
  return id;
}

export const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
export const panel = (page: Page) => page.getByRole("complementary", { name: "Result" });
/** Not what tells in a corner that something was done: that is a dialog to a screen reader, too. */
export const dialogOn = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');
