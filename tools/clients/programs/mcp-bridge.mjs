// Known servers of standard streams behind `plinth mcp bridge`, asked by a client that speaks the newest revision alone.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { flow, folder, plinth } from "./flows.mjs";

const programOf = (name) => join(import.meta.dirname, "node_modules/.bin", name);
const text = ({ content }) => content.map((block) => block.text ?? "").join("\n");

async function behind(words, use, capabilities = {}) {
  const flags = ["mcp", "bridge", "--listen", "127.0.0.1:0", "--no-sandbox", "--"];
  const bridge = spawn(plinth, [...flags, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(bridge, "exit");
  const [line] = await once(createInterface(bridge.stdout), "line");
  const client = new Client(
    { name: "client", version: "1.0.0" },
    { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  try {
    await use(client, new URL(line.slice("MCP bridge: ".length)));
  } finally {
    await client.close();
    bridge.kill("SIGTERM");
    await ended;
  }
}

const connect = (client, url) => client.connect(new StreamableHTTPClientTransport(url));

await flow("server-everything: tools, resources, prompts, progress", () =>
  behind([programOf("mcp-server-everything")], async (client, url) => {
    await connect(client, url);
    const { tools } = await client.listTools();
    assert.ok(tools.length > 5);
    assert.match(text(await client.callTool({ name: "echo", arguments: { message: "hi" } })), /hi/);
    assert.ok((await client.listResources()).resources.length > 0);
    assert.ok((await client.listPrompts()).prompts.length > 0);
    const told = [];
    const long = tools.find(({ name }) => /long-?running/i.test(name)).name;
    const call = { name: long, arguments: { duration: 1, steps: 3 } };
    await client.callTool(call, { onprogress: ({ progress }) => told.push(progress) });
    assert.ok(told.length > 0, "progress");
  }),
);

await flow("server-everything: what it asks of its client", () =>
  behind(
    [programOf("mcp-server-everything")],
    async (client, url) => {
      const asked = [];
      client.setRequestHandler("sampling/createMessage", ({ params }) => {
        asked.push(params.messages);
        return { model: "m", role: "assistant", content: { type: "text", text: "Sampled." } };
      });
      await connect(client, url);
      const { tools } = await client.listTools();
      const name = tools.find((tool) => /sampl/i.test(tool.name)).name;
      const answer = await client.callTool({ name, arguments: { prompt: "Say.", maxTokens: 10 } });
      assert.match(text(answer), /Sampled\./);
      assert.equal(asked.length, 1);
    },
    { sampling: {}, elicitation: { form: {} }, roots: {} },
  ),
);

await flow("server-filesystem: a file is read and written", () => {
  const directory = folder("files");
  writeFileSync(join(directory, "note.txt"), "a note");
  return behind([programOf("mcp-server-filesystem"), directory], async (client, url) => {
    await connect(client, url);
    const call = (name, args) => client.callTool({ name, arguments: args });
    const path = join(directory, "note.txt");
    assert.match(text(await call("read_text_file", { path })), /a note/);
    await call("write_file", { path, content: "another" });
    assert.match(text(await call("read_text_file", { path })), /another/);
  });
});

await flow("server-memory: ten clients at once", () =>
  behind([programOf("mcp-server-memory")], async (client, url) => {
    await connect(client, url);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => client.callTool({ name: "read_graph", arguments: {} })),
    );
    assert.ok(answers.every(({ isError }) => isError !== true));
  }),
);
