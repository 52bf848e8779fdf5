// A person signs in with `plinth login`; the official client then finds the sign-in by itself and keeps it fresh.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { Command } from "commander";
import { systemClock } from "../../kernel/base/clock.ts";
import { addCommands } from "../../cli/main.ts";
import type { Terminal } from "../../cli/terminal.ts";
import { openScreen } from "../commands/screen.ts";
import { openHouse, type House } from "../house.ts";
import { personOf } from "../rules/authorizations-house.ts";
import { until } from "../rules/support.ts";

let house: House;
let directory: string;
let env: Record<string, string>;
before(async () => {
  house = await openHouse();
  directory = mkdtempSync(join(tmpdir(), "plinth-sign-in-"));
  env = { PLINTH_CONFIG_DIR: directory };
});
after(async () => {
  rmSync(directory, { recursive: true, force: true });
  await house[Symbol.asyncDispose]();
});

const owner = () => personOf(() => house, house.organizations.platform);
const credentials = () => join(directory, "credentials", "default.json");
const stored = () => JSON.parse(readFileSync(credentials(), "utf8")) as Record<string, unknown>;

async function plinth(args: readonly string[], more: Partial<Terminal> = {}): Promise<string> {
  const screen = openScreen(env, more);
  const program = new Command().exitOverride();
  addCommands(program, screen.terminal);
  await program.parseAsync(["node", "plinth", ...args]);
  return screen.text();
}

/** The person types the code that the terminal shows. */
async function logIn(): Promise<string> {
  const decided = Promise.withResolvers<boolean>();
  // The next poll comes when there is something to hear.
  const screen = openScreen(env, { clock: { ...systemClock, sleep: () => decided.promise } });
  const program = new Command().exitOverride();
  addCommands(program, screen.terminal);
  const login = program.parseAsync(["node", "plinth", "login", "--no-browser", "--url", house.url]);
  const code = await until(
    async () => /enter the code (\S+)/.exec(screen.text())?.[1],
    "the code on the terminal",
  );
  assert.equal((await owner().look(code)).status, 200);
  assert.equal((await owner().approve(code)).status, 200);
  decided.resolve(true);
  await login;
  return screen.text();
}

/** As a program of the person would make it: nothing is said of credentials. */
async function withClient<T>(use: (client: Anthropic) => Promise<T>): Promise<T> {
  const before = { ...process.env };
  for (const name of ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"])
    delete process.env[name];
  process.env["ANTHROPIC_CONFIG_DIR"] = directory;
  try {
    return await use(new Anthropic());
  } finally {
    process.env = before;
  }
}

test("with a code: signed in, asked who it is, and commands need no key", async () => {
  assert.match(await logIn(), /Signed in to platform of the house as owner@platform\.example/);
  assert.equal(statSync(credentials()).mode & 0o777, 0o600);
  assert.match(await plinth(["whoami"]), /owner@platform\.example/);
  const who = JSON.parse(await plinth(["whoami", "--json"])) as { scopes: string[] };
  assert.deepEqual(who.scopes, ["org:admin", "workspace:developer"]);
  assert.match(await plinth(["message", "--model", "sim-small", "[[say hello]]"]), /hello/);
});

test("with a browser that comes back", async () => {
  const text = await plinth(["login", "--url", house.url, "--profile", "browser"], {
    openBrowser: async (address) => {
      const ask = Object.fromEntries(new URL(address).searchParams);
      void owner()
        .authorize("/approve", ask)
        .then(({ body }) => fetch((body as { redirect_to: string }).redirect_to));
      return true;
    },
  });
  assert.match(text, /Signed in .* \(profile browser\)/s);
  assert.match(await plinth(["logout", "--profile", "browser"]), /Signed out/);
});

test("what leads to the console names the server of the sign-in, unless another one is named", async () => {
  await logIn();
  await assert.rejects(plinth(["keys", "create"]), ({ message }: Error) =>
    message.includes(`open ${house.url}/console/keys?new=api`),
  );
  const other = ["keys", "create", "--url", "http://127.0.0.1:9/"];
  await assert.rejects(plinth(other), /open http:\/\/127\.0\.0\.1:9\/console\/keys/);
});

test("a token goes to no other server than the one that made it", async () => {
  await logIn();
  await assert.rejects(plinth(["files", "list", "--url", "http://127.0.0.1:9"]), /not at/);
});

test("the official client signs in with the profile", async () => {
  await logIn();
  const me = await withClient((client) => client.organization.retrieve());
  assert.equal(me.id, house.organizations.platform.organization_id);
});

test("what is about to expire is renewed before it is used, once for many at the same time", async () => {
  await logIn();
  const old = stored();
  writeFileSync(credentials(), JSON.stringify({ ...old, expires_at: 1 }), { mode: 0o600 });
  const answers = await Promise.all(Array.from({ length: 6 }, () => plinth(["whoami", "--json"])));
  assert.equal(new Set(answers).size, 1);
  assert.notEqual(stored()["access_token"], old["access_token"]);
  assert.equal(await generations(), 2);
});

test("the official client renews, and after a 401 exactly once more", async () => {
  await logIn();
  writeFileSync(credentials(), JSON.stringify({ ...stored(), expires_at: 1 }), { mode: 0o600 });
  await withClient(async (client) => {
    await client.organization.retrieve();
    assert.equal(await generations(), 2);
    await killAccessTokens();
    await client.organization.retrieve();
    assert.equal(await generations(), 3);
    await client.organization.retrieve();
    assert.equal(await generations(), 3);
  });
});

test("signed out: the server ends it, and nothing of it is left here", async () => {
  await logIn();
  const token = String(stored()["access_token"]);
  assert.match(await plinth(["logout"]), /Signed out/);
  const { status } = await house.ask("GET", "/v1/oauth/userinfo", {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(status, 401);
  await assert.rejects(plinth(["whoami"]), /plinth login/);
});

/** How far the newest chain of refresh tokens has come. */
async function generations(): Promise<number> {
  const [row] = await house.world.db.query<{ generation: number }>({
    text: `select generation from refresh_tokens
           where family_id = (select id from token_families order by id desc limit 1)
           order by generation desc limit 1`,
    values: [],
  });
  return row?.generation ?? 0;
}

/** As if their time had come: no process may go on trusting them. */
async function killAccessTokens(): Promise<void> {
  await house.world.db.tx(async (tx) => {
    await tx.query({ text: "delete from access_tokens", values: [] });
    await tx.query({ text: "update revocations set counter = counter + 1", values: [] });
  });
  await until(async () => {
    const { status } = await house.ask("GET", "/v1/oauth/userinfo", {
      headers: { authorization: `Bearer ${String(stored()["access_token"])}` },
    });
    return status === 401;
  }, "the token to be dead");
}
