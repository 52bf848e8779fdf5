// Rules MCM1 to MCM8: servers that a request names, called by this server in front of a model whose upstream calls none.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ledgerOf, opensOf, textOf, withoutIds } from "../conformance/messages-client.ts";
import {
  newBeta,
  oldBeta,
  openDocs,
  openMessagesMcpHouse,
  typesOf,
  withDocs,
  type MessagesMcpHouse,
} from "./messages-mcp-house.ts";
import type { TestServer } from "./mcp-server.ts";

let h: MessagesMcpHouse;
let docs: TestServer;
before(async () => {
  h = await openMessagesMcpHouse();
  docs = await openDocs();
});
after(async () => {
  await docs[Symbol.asyncDispose]();
  await h[Symbol.asyncDispose]();
});

test("[MCM1] a model calls a server's tool and goes on with its result, in one message", async () => {
  const asked = withDocs(docs.url, 'Look. [[tool search {"text":"fish"}]]');
  const { data: message, request_id } = await h.client.beta.messages.create(asked).withResponse();
  console.log(JSON.stringify(message, null, 1));
  assert.equal(message.stop_reason, "end_turn");
  console.log(await ledgerOf(h.house, request_id));
  const streamed = h.client.beta.messages.stream(asked);
  const final = await streamed.finalMessage();
  console.log(JSON.stringify(final, null, 1));
});
void [textOf, withoutIds, opensOf, newBeta, oldBeta, typesOf];
