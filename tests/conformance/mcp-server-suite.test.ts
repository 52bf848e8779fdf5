// The official conformance suite against the fixtures, which stand behind the HTTP entry of the real server.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { listen, type ListeningServer } from "../../kernel/http/wire/listen.ts";
import { makeAuthentication } from "../../server/identity/module.ts";
import { makeMcpDispatch } from "../../server/mcp_endpoint/module.ts";
import { answerWith } from "../../server/mcp_endpoint/server.ts";
import { root } from "../../tools/run.ts";
import { openHouse, type House } from "../house.ts";
import { fixtureServer } from "./mcp-fixtures/server.ts";

let house: House;
let listening: ListeningServer;
let url: string;
before(async () => {
  house = await openHouse();
  const key = house.organizations.platform.api_key;
  const dispatch = makeMcpDispatch(house.world, {
    authentication: makeAuthentication(house.world),
    proxies: 0,
    onAnswered: () => {},
    load: () => Promise.resolve(answerWith(fixtureServer)),
  });
  listening = await listen({
    host: "127.0.0.1",
    port: 0,
    ids: house.world.ids,
    dispatch: (request, response) => {
      // The suite knows no keys.
      request.headers["x-api-key"] ??= key;
      dispatch(request, response);
    },
  });
  url = `http://127.0.0.1:${listening.address.port}/mcp`;
});
after(async () => {
  await listening.drain(0);
  await house[Symbol.asyncDispose]();
});

const suite = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

interface Ran {
  code: number;
  out: string;
  passed: number;
  /** Of those that the revision requires. */
  failed: string[];
}

async function run(...args: string[]): Promise<Ran> {
  const directory = mkdtempSync(join(tmpdir(), "mcp-suite-"));
  try {
    const { code, out } = await new Promise<{ code: number; out: string }>((resolve) => {
      execFile(
        process.execPath,
        [suite, ...args, "-o", directory],
        { maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) =>
          resolve({ code: typeof error?.code === "number" ? error.code : 0, out: stdout + stderr }),
      );
    });
    const [scored = ""] = out.split("Not scored for");
    const lines = [...scored.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed$/gm)];
    const unscored = out.slice(scored.length);
    const counted = lines.filter(([, name]) => !unscored.includes(` ${name} (`));
    return {
      code,
      out,
      passed: counted.reduce((sum, [, , passed]) => sum + Number(passed), 0),
      failed: counted.flatMap(([, name = "", , failed]) => (failed === "0" ? [] : [name])),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test("the server's side of 2026-07-28: nothing that is required fails", async () => {
  const asked = ["server", "--url", url, "--requirements", "2026-07-28"];
  const { code, out, passed, failed } = await run(...asked);
  assert.deepEqual([code, failed], [0, []], out);
  assert.ok(passed > 100, `${passed} passed`);
});
