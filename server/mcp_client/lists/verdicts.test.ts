// How long a process remembers which revision a server speaks, and of whom.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import type { World } from "../../../kernel/context.ts";
import { learnVerdict, recallVerdict, type Known } from "./verdicts.ts";

/** A process of its own, whose clock the test moves. */
function processOf() {
  let nowMs = 1;
  const world = { db: {}, clock: { monotonicMs: () => nowMs } } as unknown as World;
  return { world, pass: (ms: number) => void (nowMs += ms) };
}

/** One that has negotiated: what its server said to `server/discover`, where it knows that. */
const clientOf = (discover?: object) => ({ getDiscoverResult: () => discover }) as Client;

const [seconds, minutes] = [1_000, 60_000];
const server = { url: "https://docs.example.com/mcp", authorization: "Bearer of-ada" };

test("[MCP34] what a server speaks is remembered for as long as it says, within a minute and an hour", () => {
  for (const [ttlMs, goodMs] of [
    [5 * minutes, 5 * minutes],
    [1, minutes],
    [59 * seconds, minutes],
    [1_000 * minutes, 60 * minutes],
    [0, 10 * minutes],
    [-1, 10 * minutes],
    ["forever", 10 * minutes],
    [undefined, 10 * minutes],
  ] as const) {
    const { world, pass } = processOf();
    const discover = { ttlMs, capabilities: {} };
    learnVerdict(world, server, clientOf(discover), false);
    pass(goodMs - 1);
    assert.deepEqual(recallVerdict(world, server), { kind: "modern", discover }, String(ttlMs));
    pass(1);
    assert.equal(recallVerdict(world, server), undefined, String(ttlMs));
  }
});

test("[MCP34] [MCP42] one of the older revisions is remembered for ten minutes, as what it is", () => {
  for (const [isOld, kind] of [
    [false, "legacy"],
    [true, "old"],
  ] as const) {
    const { world, pass } = processOf();
    learnVerdict(world, server, clientOf(), isOld);
    pass(10 * minutes - 1);
    assert.deepEqual<Known | undefined>(recallVerdict(world, server), { kind });
    pass(1);
    assert.equal(recallVerdict(world, server), undefined);
  }
});

test("[MCP34] another token and another address are asked for themselves, and so does another process", () => {
  const { world } = processOf();
  learnVerdict(world, server, clientOf(), false);
  const { url } = server;
  const others = [
    { url, authorization: "Bearer of-bob" },
    { url, authorization: undefined },
    { ...server, url: `${url}/` },
  ];
  for (const other of others) assert.equal(recallVerdict(world, other), undefined);
  assert.equal(recallVerdict(processOf().world, server), undefined);
  assert.notEqual(recallVerdict(world, { ...server }), undefined);
});

test("[MCP34] what a server says of itself at too great a length is not kept", () => {
  const { world } = processOf();
  learnVerdict(world, server, clientOf({ instructions: "x".repeat(16_384) }), false);
  assert.equal(recallVerdict(world, server), undefined);
});
