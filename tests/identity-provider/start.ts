// Starts the identity provider of the tests, and tells it what to do.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { join } from "node:path";
import type { Account, Order } from "./process.ts";

export interface IdentityProvider extends AsyncDisposable {
  issuer: string;
  /** A person there; the newest claims count. */
  account(account: Account): Promise<void>;
  /** Who signs in from now on without being asked. */
  sits(sub: string | null): Promise<void>;
  /** The next sign-in is denied. */
  deny(): Promise<void>;
  client(redirectUri: string): Promise<{ client_id: string; client_secret: string }>;
  /** A new signing key; the old one is forgotten. Its id. */
  rotate(): Promise<string>;
  /** A token with these claims, signed with the present key. */
  mint(claims: Record<string, unknown>): Promise<string>;
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const child = fork(join(import.meta.dirname, "process.ts"), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const issuer = await new Promise<string>((resolve, reject) => {
    child.once("message", (message) => resolve((message as { issuer: string }).issuer));
    child.once("exit", (code) => reject(new Error(`the identity provider ended with ${code}`)));
  });
  const tell = async (order: Order): Promise<Record<string, string>> => {
    const body = JSON.stringify(order);
    const response = await fetch(`${issuer}/control`, { method: "POST", body });
    assert.equal(response.status, 200, order.order);
    return (await response.json()) as Record<string, string>;
  };
  return {
    issuer,
    account: async (account) => void (await tell({ order: "account", account })),
    sits: async (sub) => void (await tell({ order: "sits", sub })),
    deny: async () => void (await tell({ order: "deny" })),
    client: async (redirectUri) => {
      const made = await tell({ order: "client", redirect_uris: [redirectUri] });
      return { client_id: made["client_id"] ?? "", client_secret: made["client_secret"] ?? "" };
    },
    rotate: async () => (await tell({ order: "rotate" }))["kid"] ?? "",
    mint: async (claims) => (await tell({ order: "mint", claims }))["token"] ?? "",
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.disconnect();
      await ended;
    },
  };
}
