// A thousand calls of /mcp at once, over the processes of one server: any process answers any of them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { scratch, until } from "../kernel/sql-harness.ts";
import { mcpClient } from "../rules/mcp-endpoint-client.ts";
import { ask, initOwner, nothingLeft, startPlinth } from "./plinth.ts";

const calls = 1_000;

test("[MCE1] a thousand calls at once over three processes are all answered", async () => {
  using home = scratch();
  const data = join(home.path, "data");
  const { api_key: key } = await initOwner(data);
  const plinth = await startPlinth(data, { args: ["--workers", "3"] });
  const store = await ask(plinth.url, "POST", "/v1/memory_stores", {
    headers: { "x-api-key": key, "vendor-beta": "managed-agents-2026-04-01" },
    body: { name: "Notes" },
  });
  assert.equal(store.status, 200, JSON.stringify(store.body));
  const call = mcpClient(() => ({ url: plinth.url, key }));
  const answered = await Promise.all(
    Array.from({ length: calls }, () =>
      call("tools/call", { name: "list_memory_stores", arguments: {} }),
    ),
  );
  const failed = answered.filter(
    ({ status, error, result }) =>
      status !== 200 ||
      error !== undefined ||
      result["isError"] === true ||
      !JSON.stringify(result["content"]).includes("Notes"),
  );
  assert.deepEqual(failed.slice(0, 3), []);
  const byProcess = () => {
    const lines = plinth.said().split("\n");
    const asked = lines.flatMap((line) => (line.includes('"mcp.post"') ? [processOf(line)] : []));
    return asked.length >= calls && Map.groupBy(asked, (pid) => pid);
  };
  const counted = await until("the log has all calls", byProcess);
  assert.equal(counted.size, 3);
  assert.equal((await plinth.stop()).code, 0, plinth.said());
  await nothingLeft(home.path);
});

const processOf = (line: string) => (JSON.parse(line) as { pid: number }).pid;
