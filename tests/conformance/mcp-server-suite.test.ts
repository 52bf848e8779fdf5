// The official conformance suite against the fixtures, which stand behind the HTTP entry of the real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listen, type ListeningServer } from "../../kernel/http/wire/listen.ts";
import { makeAuthentication } from "../../server/identity/module.ts";
import { makeMcpDispatch } from "../../server/mcp_endpoint/module.ts";
import { makeEndpoint } from "../../server/mcp_endpoint/server.ts";
import { openHouse, type House } from "../house.ts";
import { mcpClient } from "../rules/mcp-endpoint-client.ts";
import { fixtureServer } from "./mcp-fixtures/server.ts";
import { documented, runSuite } from "./mcp-suite.ts";

/** The fixtures ask no routes; what is watched of them is there. */
const noRoutes = () => Promise.resolve({});

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
    load: () => Promise.resolve(makeEndpoint(house.world, fixtureServer, noRoutes)),
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
  // The suite waits for some answers for half a second only: what is made once is made before.
  const ask = mcpClient(() => ({ url, key }), { elicitation: {}, sampling: {} });
  for (const name of ["test_simple_text", "test_streaming_elicitation", "test_logging_tool"]) {
    const { error } = await ask("tools/call", { name, arguments: {} });
    assert.equal(error, undefined, name);
  }
});
after(async () => {
  await listening.drain(0);
  await house[Symbol.asyncDispose]();
});

for (const revision of ["2026-07-28", "2025-11-25"])
  test(`the server's side of ${revision}: nothing that is required fails`, async () => {
    const ran = await runSuite("server", "--url", url, "--requirements", revision);
    assert.deepEqual([ran.code, ran.failed], [0, []], ran.out);
    assert.deepEqual(documented("server", revision), [ran.scenarios, ran.passed, 0]);
  });
