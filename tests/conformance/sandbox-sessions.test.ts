// The official client against a server whose sandboxes are a shell in JavaScript, or containers: one session with all
// that it has.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type Anthropic from "@anthropic-ai/sdk";
import { toFile } from "@anthropic-ai/sdk";
import { openHouse, type House } from "../house.ts";
import { daemonFault, testDaemon, testImage } from "../sandboxes/docker-daemon.ts";
import { listeningClient } from "./messages-client.ts";

async function begin(client: Anthropic) {
  const agent = await client.beta.agents.create({
    name: "Helper",
    model: "sim-small",
    tools: [{ type: "agent_toolset_20260401" }],
  });
  const environment = await client.beta.environments.create({
    name: "lab",
    config: { type: "cloud" },
  });
  const content = Buffer.from([0, 1, 2, 253, 254, 255]);
  const file = await client.beta.files.upload({ file: await toFile(content, "bytes.bin") });
  const store = await client.beta.memoryStores.create({ name: "notes" });
  await client.beta.memoryStores.memories.create(store.id, { path: "/größe", content: "ü" });
  const session = await client.beta.sessions.create({
    agent: agent.id,
    environment_id: environment.id,
    resources: [
      { type: "file", file_id: file.id, mount_path: "/mnt/session/uploads/bytes.bin" },
      { type: "memory_store", memory_store_id: store.id },
    ],
  });
  return { id: session.id, storeId: store.id };
}

/** What each of the tools answered. */
async function ask(client: Anthropic, id: string, calls: readonly [string, object][]) {
  const text = `[[tools ${calls.map(([name, input]) => `${name} ${JSON.stringify(input)}`).join(" | ")}]]`;
  const stream = await client.beta.sessions.events.stream(id);
  await client.beta.sessions.events.send(id, {
    events: [{ type: "user.message", content: [{ type: "text", text }] }],
  });
  const results: string[] = [];
  for await (const event of stream) {
    if (event.type === "agent.tool_result")
      for (const block of event.content ?? [])
        results.push(block.type === "text" ? block.text : block.type);
    if (event.type === "session.status_idle") break;
  }
  return results;
}

const inContainers = async () => ({
  provider: "docker",
  docker: { socket: (await testDaemon()).socket, image: testImage },
});

for (const [what, findSettings, skip] of [
  ["virtual", async () => ({ provider: "virtual" }), false],
  ["docker", inContainers, daemonFault],
] as const)
  suite(what, { skip }, () => {
    let house: House;
    before(async () => {
      house = await openHouse({ sections: { sandbox: await findSettings() } });
    });
    after(() => house[Symbol.asyncDispose]());
    test(`[SBX20] [SBX40] [SBX60] a whole session on ${what} sandboxes`, () => runWhole(house));
  });

async function runWhole(house: House): Promise<void> {
  const { client } = listeningClient(house, { maxRetries: 2 });
  const { id, storeId } = await begin(client);
  const path = "/workspace/notes/one.txt";
  const [written, edited, read, found, lines, shell] = await ask(client, id, [
    ["write", { file_path: path, content: "first line\nsecond line\n" }],
    ["edit", { file_path: path, old_string: "second", new_string: "last" }],
    ["read", { file_path: path }],
    ["glob", { pattern: "**/*.txt" }],
    ["grep", { pattern: "last" }],
    ["bash", { command: "cd notes; export WORD=kept; wc -l <one.txt; pwd" }],
  ]);
  assert.match(written ?? "", /^Wrote 23 bytes/);
  assert.ok(edited);
  assert.equal(read, "first line\nlast line\n");
  assert.match(found ?? "", /notes\/one\.txt/);
  assert.match(lines ?? "", /last line/);
  assert.equal(shell, "2\n/workspace/notes");
  const uploads = "/mnt/session/uploads/bytes.bin";
  const [stays, bytes, refused, memory, output] = await ask(client, id, [
    ["bash", { command: "pwd; echo $WORD" }],
    ["bash", { command: `base64 ${uploads}` }],
    ["bash", { command: `echo x >${uploads}` }],
    ["bash", { command: "cat /mnt/memory/notes/größe; printf é >/mnt/memory/notes/größe" }],
    ["bash", { command: `cat ${uploads} >/mnt/session/outputs/out.bin` }],
  ]);
  assert.equal(stays, "/workspace/notes\nkept");
  assert.equal(bytes, "AAEC/f7/");
  assert.match(refused ?? "", /read-only file system/i);
  assert.equal(memory, "ü");
  assert.equal(output, undefined, "it said nothing");
  const memories = await client.beta.memoryStores.memories.list(storeId, { view: "full" });
  assert.deepEqual(
    memories.data.map((one) => ("content" in one ? [one.path, one.content] : [])),
    [["/größe", "é"]],
  );
  const files = await client.beta.files.list({ scope_id: id });
  const made = files.data.find(({ filename }) => filename === "out.bin");
  assert.ok(made);
  const download = await client.beta.files.download(made.id);
  assert.deepEqual([...new Uint8Array(await download.arrayBuffer())], [0, 1, 2, 253, 254, 255]);
  const headers = { cookie: house.organizations.platform.cookie };
  const shown = `/console/api/sessions/${id}/files`;
  const { body } = await house.ask("GET", `${shown}?path=/mnt/session/outputs`, headers);
  const [entry] = (body as { entries: { name: string; type: string; size_bytes: number }[] })
    .entries;
  assert.deepEqual([entry?.name, entry?.type, entry?.size_bytes], ["out.bin", "file", 6]);
  const content = `${house.url}${shown}/content?path=/mnt/session/outputs/out.bin`;
  const looked = await (await fetch(content, { headers })).arrayBuffer();
  assert.deepEqual([...new Uint8Array(looked)], [0, 1, 2, 253, 254, 255]);
}
