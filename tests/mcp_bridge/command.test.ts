// `plinth mcp bridge`: what it prints and refuses, whom it lets in, and that nothing of its command outlives it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as later } from "node:timers/promises";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { bridge } from "../../server/commands/mcp-bridge.ts";
import type { Flags } from "../../server/commands/settings.ts";
import { temporaryDirectory } from "../sandboxes/machine.ts";
import { calling, newClient, serve } from "./clients.ts";

/** A server with a child that its end leaves alone. */
const server = [
  "/bin/sh",
  "-c",
  'sleep 600 & echo "child $!" >&2; exec "$0" tests/mcp_bridge/old-server.ts',
  process.execPath,
];

function begin(...flags: string[]) {
  const program = spawn(process.execPath, ["bin.ts", "mcp", "bridge", ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: "/nowhere", SECRET: "s", NAMED: "n" },
  });
  const said = createInterface(program.stderr);
  const printed = createInterface(program.stdout);
  return { program, said, printed, ended: once(program, "exit") };
}

async function open(...flags: string[]) {
  const begun = begin("--listen", "127.0.0.1:0", "--no-sandbox", ...flags, "--", ...server);
  const childSaid = once(begun.said, "line");
  const [line] = (await once(begun.printed, "line")) as [string];
  const [, url = ""] = /^MCP bridge: (http:\/\/127\.0\.0\.1:\d+\/mcp)$/.exec(line) ?? [];
  const client = newClient();
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const pids = [
    Number(await calling(client, "pid")),
    Number(/^child (\d+)$/.exec(String((await childSaid)[0]))?.[1]),
  ];
  assert.ok(pids.every(isAlive));
  return { ...begun, url, client, pids };
}

/** A process that has ended counts so before its parent has heard of it. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

test("[MCB19] it prints its address, lets clients of both revisions in and pages of other sites not", async () => {
  const { program, url, client, pids, ended } = await open("--env", "NAMED");
  const names = await calling(client, "environment");
  assert.ok(!names?.includes("SECRET"));
  for (const name of ["HOME", "NAMED", "PATH"]) assert.ok(names?.includes(name), name);
  const old = new OldClient({ name: "old", version: "1" });
  await old.connect(new OldTransport(new URL(url)));
  assert.ok((await old.listTools()).tools.length > 2);
  await old.close();
  for (const headers of [{ origin: "http://evil.example" }, { host: "evil.example" }]) {
    const answered = await statusOf(url, headers);
    assert.equal(answered, 403);
  }
  await client.close();
  program.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
  while (pids.some(isAlive)) await later(10);
});

test("[MCB20] nothing of the command outlives a bridge that is killed", async () => {
  const { program, pids, ended } = await open();
  program.kill("SIGKILL");
  await ended;
  while (pids.some(isAlive)) await later(10);
});

test("[MCB20] what the command has begun ends with it", async () => {
  const { program, client, pids, ended } = await open();
  const [pid = 0] = pids;
  process.kill(pid, "SIGKILL");
  while (pids.some(isAlive)) await later(10);
  assert.notEqual(await calling(client, "pid"), String(pid));
  program.kill("SIGTERM");
  await ended;
});

test("[MCB19] what it cannot do is said with exit code 2, and 1 where the address is taken", async () => {
  using taken = await serve((_, response) => void response.end());
  const given = { listen: "127.0.0.1:0", sessionsMax: "16", heldSeconds: "300" };
  const directory = temporaryDirectory();
  const cases: [string[], Flags, number, RegExp][] = [
    [["true"], { ...given, listen: "127.0.0.1" }, 2, /--listen: say HOST:PORT/],
    [["true"], { ...given, listen: "127.0.0.1:70000" }, 2, /--listen: say HOST:PORT/],
    [[], given, 2, /--url URL, or --/],
    [["true"], { ...given, url: "http://127.0.0.1:1/mcp" }, 2, /one of both/],
    [[], { ...given, url: "ftp://127.0.0.1" }, 2, /--url: say an address/],
    [["true"], { ...given, sessionsMax: "0" }, 2, /--sessions-max: say a whole number/],
    [["true"], { ...given, heldSeconds: "x" }, 2, /--held-seconds: say a whole number/],
    [
      ["true"],
      { ...given, sandbox: false, folder: ["."] },
      2,
      /--folder, --hosts and --networking go/,
    ],
    [
      ["true"],
      { ...given, sandbox: false, networking: "limited" },
      2,
      /go with a command in a sand/,
    ],
    [["true"], { ...given, hosts: ["a/b"] }, 2, /--hosts: "a\/b" is no host/],
    [["true"], { ...given, directory, folder: ["/nowhere"] }, 2, /--folder: \/nowhere is no dir/],
    [
      ["true"],
      { ...given, sandbox: false, listen: new URL(taken.url).host },
      1,
      /cannot listen at 127.0.0.1/,
    ],
  ];
  const terminal = { env: {}, write: assert.fail, note: assert.fail };
  for (const [words, flags, exitCode, message] of cases)
    await assert.rejects(bridge(words, flags, terminal), { exitCode, message });
});

/** The client of `fetch` says its own host. */
async function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  const asked = request(url, { method: "POST", headers });
  asked.end("{}");
  const [answered] = (await once(asked, "response")) as [{ statusCode: number; resume(): void }];
  answered.resume();
  return answered.statusCode;
}
