// What the tests of the pages of sessions share: agents and sessions that programs made, and the parts of the pages.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sessionsOf } from "../rules/sessions-house.ts";
import type { House } from "../house.ts";

export const path = "/console/sessions";

/** As programs do it, with the key of the platform's workspace. */
export const sessionCalls = (houseOf: () => House) => sessionsOf(houseOf);

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
/** Not what tells in a corner that something was done: that is a dialog to a screen reader, too. */
export const dialogOn = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');
export const transcript = (page: Page) => page.getByRole("list", { name: "Transcript" });
export const statusOf = (page: Page, word: string) =>
  page.locator("header").getByRole("status").getByText(word, { exact: true });

export const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

/** Says something in the page, and waits until it has been sent. */
export async function talk(page: Page, text: string): Promise<void> {
  const field = page.getByLabel("Message to the agent");
  await field.fill(text);
  await field.press("Enter");
  await transcript(page).getByText(text, { exact: true }).waitFor();
  assert.equal(await field.inputValue(), "");
}
