// Real servers that are killed under 64 writers: each line that was acknowledged is in the memory exactly once.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { initialize } from "../../server/organization-setup.ts";
import {
  killServer,
  type SpawnedServer,
  startServer,
  stopServer,
} from "../money/spawned-servers.ts";
import { serveShared, type ServerFacts } from "../money/server.ts";
import { testDatabase } from "../postgres.ts";
import { askAt, until } from "../rules/support.ts";
import { checkMemory } from "../simulation/memory-check.ts";

const isLong = process.env["PLINTH_TEST_LONG"] !== undefined;
const servers = 3;
const writers = 64;
const linesEach = isLong ? 8 : 2;
const kills = isLong ? 8 : 2;
const headers = { "anthropic-beta": "agent-memory-2026-07-22" };

interface Told {
  status: number;
  body: { id?: string; content?: string; content_sha256?: string; error?: { type: string } };
}

/** Undefined where the connection broke, and nobody can say. */
async function ask(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Told | undefined> {
  const wanted = { key, headers, ...(body && { body }) };
  return askAt(url, method, path, wanted).catch(() => undefined);
}

async function makeKey(facts: ServerFacts): Promise<string> {
  const server = await serveShared(facts, () => {});
  const some = { organization: "Memory", type: "platform", email: "a@memory.example" } as const;
  const { api_key: key } = await initialize(server.opened.world, some);
  await server.stop();
  return key;
}

interface Seen {
  saved: number;
  late: number;
  /** Cut off, or told that nobody knows. */
  unknown: number;
}

test("[MEM13] 64 writers on three servers that are killed: no line is lost, none is there twice", async (t) => {
  await using database = await testDatabase();
  const { db, connection } = database;
  const dataDirectory = mkdtempSync(join(tmpdir(), "plinth-memory-"));
  using stack = new DisposableStack();
  stack.defer(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const facts = { connection, dataDirectory, sections: {} };
  const key = await makeKey(facts);
  const fleet: SpawnedServer[] = [];
  stack.defer(() => fleet.forEach(({ child }) => child.kill("SIGKILL")));
  fleet.push(...(await Promise.all(Array.from({ length: servers }, () => startServer(facts)))));
  const urlOf = (number: number) => fleet[number % servers]?.url ?? "";
  const made = async (path: string, body: object) => {
    const told = await ask(urlOf(0), key, "POST", path, body);
    assert.equal(told?.status, 200, JSON.stringify(told));
    return told.body.id ?? "";
  };
  const store = await made("/v1/memory_stores", { name: "Shared" });
  const memories = `/v1/memory_stores/${store}/memories`;
  const memory = `${memories}/${await made(memories, { path: "/log", content: "" })}`;
  const seen: Seen = { saved: 0, late: 0, unknown: 0 };
  const lines = Array.from({ length: writers }, (_, writer) =>
    Array.from({ length: linesEach }, (__, line) => `${writer}-${line}`),
  );
  const writing = Promise.all(
    lines.map(async (own, writer) => {
      for (const [at, line] of own.entries())
        await append((tries) => urlOf(writer + at + tries), key, memory, line, seen);
    }),
  );
  for (let kill = 1; kill <= kills; kill++) {
    const enough = (writers * linesEach * kill) / (kills + 1);
    await until(() => Promise.resolve(seen.saved >= enough), "lines are saved");
    const place = kill % servers;
    const victim = fleet[place];
    if (victim !== undefined) await killServer(victim);
    fleet[place] = await startServer(facts);
  }
  await writing;
  t.diagnostic(JSON.stringify(seen));
  const told = await ask(urlOf(0), key, "GET", memory);
  const expected = lines.flat().sort();
  assert.deepEqual(told?.body.content?.trimEnd().split("\n").sort(), expected);
  const { versions } = await checkMemory(db);
  assert.equal(versions.length, 1 + expected.length, "a version for each line, none for others");
  assert.ok(seen.late > writers, "hardly anybody was too late");
  await Promise.all(fleet.map(stopServer));
});

/** Until it is there. Whoever does not know looks whether it is, before it writes again. */
async function append(
  urlOf: (tries: number) => string,
  key: string,
  memory: string,
  line: string,
  seen: Seen,
): Promise<void> {
  for (let tries = 0; ; tries++) {
    const url = urlOf(tries);
    const now = await ask(url, key, "GET", memory);
    if (now?.status !== 200) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    const { content = "", content_sha256 } = now.body;
    if (content.split("\n").includes(line)) return;
    const body = {
      content: `${content}${line}\n`,
      precondition: { type: "content_sha256", content_sha256 },
    };
    const told = await ask(url, key, "POST", memory, body);
    if (told?.status === 200) {
      seen.saved += 1;
      return;
    }
    const error = told?.body.error;
    if (error?.type === "memory_precondition_failed_error") seen.late += 1;
    else if (told === undefined || told.status === 503) seen.unknown += 1;
    else assert.fail(JSON.stringify(told));
  }
}
