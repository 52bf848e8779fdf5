// What a client of /mcp gives up is not worked on any longer, and not paid for.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { newerMeta, postMcp, type Fields } from "./mcp-endpoint-client.ts";
import { openMessagesHouse, type MessagesHouse } from "./messages-house.ts";
import { until } from "./support.ts";

let h: MessagesHouse;
let second: Awaited<ReturnType<MessagesHouse["house"]["openSecondServer"]>>;
before(async () => {
  h = await openMessagesHouse();
  second = await h.house.openSecondServer();
});
after(async () => {
  await second[Symbol.asyncDispose]();
  await h[Symbol.asyncDispose]();
});
beforeEach(() => {
  h.upstream.answer = () => {};
});

const send = (
  message: object,
  headers: Record<string, string>,
  { url = h.house.url, signal }: Sent = {},
) =>
  postMcp(
    { url, key: h.house.organizations.platform.api_key },
    { jsonrpc: "2.0", ...message },
    headers,
    { signal },
  );
interface Sent {
  url?: string;
  signal?: AbortSignal;
}

const asking = { name: "ask_model", arguments: { model: "ours", prompt: "Well?" } };
const letGo = () => until(async () => h.upstream.open() === 0, "the upstream to be let go");

test("[MCE33] a client that leaves ends what its call was at", async () => {
  const leaving = new AbortController();
  const asked = h.upstream.requests.length;
  const _meta = newerMeta();
  const call = { id: 1, method: "tools/call", params: { ...asking, _meta } };
  const headers = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "ask_model",
  };
  const rows = await h.rowsOf(async () => {
    const answering = send(call, headers, { signal: leaving.signal });
    await h.heard(asked);
    leaving.abort();
    await assert.rejects(answering);
  });
  assert.deepEqual([rows[0]?.outcome, rows[0]?.output], ["cut", 0]);
  await letGo();
});

for (const where of ["the process of the call", "another process"])
  test(`[MCE33] a call that is given up through ${where} ends what it was at`, async () => {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "tests", version: "1" },
    };
    const begun = await send({ id: 0, method: "initialize", params }, {});
    const session = {
      "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
      "mcp-protocol-version": "2025-11-25",
    };
    const asked = h.upstream.requests.length;
    const rows = await h.rowsOf(async () => {
      const answering = send({ id: "mine", method: "tools/call", params: asking }, session);
      await h.heard(asked);
      const url = where === "another process" ? second.url : h.house.url;
      const note = { method: "notifications/cancelled", params: { requestId: "mine" } };
      assert.equal((await send(note, session, { url })).status, 202);
      const answered = await answering;
      assert.equal((await answered.text()).includes('"result"'), false);
    });
    assert.deepEqual([rows[0]?.outcome, rows[0]?.output], ["cut", 0]);
    await letGo();
    const { result } = (await (await send({ id: 2, method: "ping" }, session)).json()) as Fields;
    assert.deepEqual(result, {});
  });
