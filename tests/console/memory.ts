// What the tests of the pages of memory share: stores with a past, and the parts of the pages.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { House } from "../house.ts";

export const path = "/console/memory";
const beta = { "vendor-beta": "agent-memory-2026-07-22" };

export interface Store {
  id: string;
  name: string;
}

export interface Written {
  id: string;
  content_sha256: string;
  memory_version_id: string;
}

/** Asks as a program with the key of the tenant's default workspace, or as its owner. */
export function makeAgent(house: House, tenant: keyof House["organizations"] = "platform") {
  const { api_key: key, cookie } = house.organizations[tenant];
  const ask = async (method: string, route: string, body?: unknown, asOwner = false) => {
    const who = asOwner ? { cookie } : { key };
    const answer = await house.ask(method, `/v1/memory_stores${route}`, {
      ...who,
      headers: beta,
      ...(body !== undefined && { body }),
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  return {
    ask,
    store: (name: string, more: object = {}): Promise<Store> => ask("POST", "", { name, ...more }),
    write: (store: Store, path: string, content: string, asOwner = false): Promise<Written> =>
      ask("POST", `/${store.id}/memories`, { path, content }, asOwner),
    change: (store: Store, { id }: Written, body: object, asOwner = false): Promise<Written> =>
      ask("POST", `/${store.id}/memories/${id}`, body, asOwner),
    remove: (store: Store, { id }: Written) => ask("DELETE", `/${store.id}/memories/${id}`),
    read: (
      store: Store,
      { id }: Pick<Written, "id">,
    ): Promise<Written & { content: string; path: string }> =>
      ask("GET", `/${store.id}/memories/${id}`),
    list: async (store: Store): Promise<{ path: string; content: string | null; id: string }[]> =>
      (await ask("GET", `/${store.id}/memories?view=full&limit=20`)).data,
  };
}

export type Agent = ReturnType<typeof makeAgent>;

export const customers = `# Acme

Contact: Dana, usually before noon.
Plan: Team, 40 seats, renews in March.

## Preferences
- Answers short, with a link to the page that says more.
- Invoices go to billing, not to Dana.

## Open
- Asked for single sign-on; waiting for their identity provider.
- Export of last year's invoices.
`;

/** What it says a week later: lines that went, came and changed. */
export const customersLater = customers
  .replace("40 seats, renews in March", "55 seats, renews in April")
  .replace("- Export of last year's invoices.\n", "")
  .replace("## Open\n", "## Open\n- Wants a call about limits on Thursday.\n")
  .replace("not to Dana", "never to Dana");

/** A store as agents and people leave it: folders, changes of both, something deleted. */
export async function writeSampleMemories(agent: Agent, name = "Customer notes") {
  const store = await agent.store(name, {
    description: "What agents learn about customers: preferences, open questions, decisions.",
    metadata: { team: "support" },
  });
  const acme = await agent.write(store, "/customers/acme.md", customers);
  await agent.write(store, "/customers/globex.md", "# Globex\n\nNo answer since October.\n");
  await agent.write(store, "/customers/north/initech.md", "# Initech\n\nAsks about exports.\n");
  await agent.write(store, "/how-to-answer.md", "Short sentences.\nOne link at most.\n");
  const old = await agent.write(store, "/drafts/plan.md", "Call everybody.\n");
  const changed = await agent.change(store, acme, { content: customersLater }, true);
  await agent.remove(store, old);
  return { store, acme: { ...changed, first: acme.memory_version_id }, old };
}

export const tree = (page: Page) => page.getByRole("tree", { name: "Memories" });
export const row = (page: Page, name: string) =>
  tree(page).getByRole("treeitem", { name, exact: true });
export const field = (page: Page) => page.getByRole("textbox", { name: /^Text of/ });
export const versions = (page: Page) => page.getByRole("list", { name: "Versions" });
/** Not what tells in a corner that something was done: that is a dialog to a screen reader, too. */
export const dialogOn = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');
export const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true });
