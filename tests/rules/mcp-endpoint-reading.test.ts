// What clients of /mcp read: resources, prompts, proposals for their arguments, and the tools that only look.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { filesOf, type Files } from "./files-house.ts";
import { mcpClient, refusedWith, type Fields } from "./mcp-endpoint-client.ts";
import { document, skillsOf } from "./skills-house.ts";

let house: House;
let files: Files;
before(async () => {
  house = await openHouse();
  files = filesOf(house);
});
after(() => house[Symbol.asyncDispose]());

const key = () => house.organizations.platform.api_key;
const stranger = () => ({ key: house.organizations.other.api_key });
const ask = mcpClient(() => ({ url: house.url, key: key() }));
const skills = skillsOf(() => house);

async function make(path: string, body: object): Promise<string> {
  const isMemory = path.startsWith("/v1/memory_stores");
  const beta = isMemory ? "agent-memory-2026-07-22" : "managed-agents-2026-04-01";
  const headers = { "anthropic-beta": beta };
  const made = await house.ask("POST", path, { key: key(), headers, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return String(made.body["id"]);
}

const call = async (name: string, input: object, given = {}) =>
  (await ask("tools/call", { name, arguments: input }, given)).result;

async function storeWith(name: string, memories: Record<string, string>): Promise<string> {
  const id = await make("/v1/memory_stores", { name });
  for (const [path, content] of Object.entries(memories))
    await make(`/v1/memory_stores/${id}/memories`, { path, content });
  return id;
}

async function read(uri: string, given = {}): Promise<Fields> {
  const { result, error } = await ask("resources/read", { uri }, given);
  assert.equal(error, undefined, JSON.stringify(error));
  const [content, ...more] = result["contents"] as Fields[];
  assert.deepEqual(more, []);
  assert.deepEqual([result["ttlMs"], result["cacheScope"]], [0, "private"]);
  return content ?? {};
}

/** Of a session of an agent of its own, which was told this. */
async function sessionTold(message: string, tools: object[] = []): Promise<string> {
  const agent = await make("/v1/agents", { name: "Teller", model: "sim-small", tools });
  const environment_id = await make("/v1/environments", {
    name: `at ${agent}`,
    config: { type: "cloud" },
  });
  const run = await call("run_agent", { agent, environment_id, message });
  return String(run["structuredContent"]["session_id"]);
}

const weather = {
  type: "custom",
  name: "weather",
  description: "",
  input_schema: { type: "object" },
};

test("[MCE11] a memory is read by its address, with its hash and the type of its path", async () => {
  const id = await storeWith("Addresses", {
    "/plans/a trip, 100%.md": "By bicycle.",
    "/data.json": "{}",
    "/bare": "Words",
  });
  const at = `plinth://memory_stores/${id}/memories`;
  const spaced = await read(`${at}/plans/a%20trip%2C%20100%25.md`);
  assert.deepEqual([spaced["text"], spaced["mimeType"]], ["By bicycle.", "text/markdown"]);
  assert.equal((await read(`${at}%2Fplans%2Fa%20trip%2C%20100%25.md`))["text"], "By bicycle.");
  assert.equal((await read(`${at}/data.json`))["mimeType"], "application/json");
  const bare = await read(`${at}/bare`);
  const told = await call("read_memory", { memory_store_id: id, path: "/bare" });
  assert.equal(bare["mimeType"], "text/markdown");
  assert.equal(bare["_meta"]["content_sha256"], told["structuredContent"]["content_sha256"]);
});

test("[MCE12] a transcript tells what was said and called, and keeps the newest", async () => {
  const id = await sessionTold("[[tool weather {}]] How is it?", [weather]);
  const uri = `plinth://sessions/${id}/transcript`;
  const { text, mimeType } = await read(uri);
  assert.equal(mimeType, "text/markdown");
  assert.match(text, new RegExp(`The session ${id} of the agent Teller`));
  assert.match(text, /## User \(.*\)\n\n\[\[tool weather/);
  assert.match(text, /## Agent calls weather, sevt_\w+ \(.*\)\n\n\{\}/);
  assert.match(text, /## Idle: requires_action \(.*\)\n\nWaits for sevt_\w+\./);
  assert.doesNotMatch(text, /left out/);
  const order = ["## User", "## Agent calls", "## Idle"].map((part) => text.indexOf(part));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  const long = await sessionTold("First.");
  for (let at = 0; at < 26; at++)
    await call("send_to_session", { session_id: long, message: `${at} ${"x".repeat(9_000)}` });
  const cut = (await read(`plinth://sessions/${long}/transcript`))["text"] as string;
  assert.ok(cut.length < 205_000, String(cut.length));
  assert.match(cut, /\(What came before is left out: the newest \d+ events are here\.\)/);
  assert.doesNotMatch(cut, /First\./);
  assert.match(cut, /\n25 x+… \(1003 characters more\)/);
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("[MCE13] a file is text or a blob, up to two megabytes, and a picture is one for models", async () => {
  const text = await files.upload({ content: "Ä, b\n", filename: "a.csv", type: "text/csv" });
  const csv = await read(`plinth://files/${text.id}`);
  assert.deepEqual([csv["text"], csv["mimeType"]], ["Ä, b\n", "text/csv"]);
  assert.deepEqual(csv["_meta"], { filename: "a.csv", size_bytes: 6 });
  const picture = await files.upload({ content: new Uint8Array(png), filename: "dot.png" });
  const blob = await read(`plinth://files/${picture.id}`);
  assert.deepEqual([blob["blob"], blob["mimeType"]], [png.toString("base64"), "image/png"]);
  const big = await files.upload({ content: "x".repeat(2 * 1024 * 1024 + 1), filename: "big.txt" });
  const refused = await ask("resources/read", { uri: `plinth://files/${big.id}` });
  assert.match(refusedWith(refused, -32602), /has 2097153 bytes, and 2097152 can be read here/);
  assert.equal((await call("read_file", { file_id: text.id }))["content"][0].text, "Ä, b\n");
  const [, image] = (await call("read_file", { file_id: picture.id }))["content"];
  assert.deepEqual(image, { type: "image", data: png.toString("base64"), mimeType: "image/png" });
  const known = await call("read_file", { file_id: big.id });
  assert.equal(known["structuredContent"]["size_bytes"], 2_097_153);
  assert.equal(known["content"].length, 1);
});

test("[MCE14] what is not there, and what is another workspace's, is -32602 with its address", async () => {
  const id = await storeWith("Kept", { "/a.md": "ours" });
  const session = await sessionTold("Hello.");
  const { id: file } = await files.upload({ content: "ours" });
  const ours = [
    `plinth://memory_stores/${id}/memories/a.md`,
    `plinth://sessions/${session}/transcript`,
    `plinth://files/${file}`,
  ];
  for (const uri of ours) await read(uri);
  const nothing = [
    `plinth://memory_stores/${id}/memories/b.md`,
    `plinth://memory_stores/${id}/memories/%00`,
    `plinth://memory_stores/${id}/memories/%E0%A4`,
    `plinth://memory_stores/${id}`,
    "plinth://memory_stores/memstore_none/memories/a.md",
    "plinth://sessions/sesn_none/transcript",
    "plinth://files/file_none",
    "plinth://files/",
    "file:///etc/passwd",
  ];
  for (const [uri, given] of [
    ...nothing.map((uri) => [uri, {}] as const),
    ...ours.map((uri) => [uri, stranger()] as const),
  ]) {
    const answered = await ask("resources/read", { uri }, given);
    refusedWith(answered, -32602);
    assert.deepEqual(answered.error?.data, { uri });
  }
});

async function listed(method: string, of: string, given = {}): Promise<Fields[]> {
  const found: Fields[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 50; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const { result, error } = await ask(method, params, given);
    assert.equal(error, undefined, JSON.stringify(error));
    assert.equal(result["cacheScope"], "private");
    found.push(...(result[of] as Fields[]));
    cursor = result["nextCursor"] as string | undefined;
    if (cursor === undefined) return found;
  }
  throw new Error("the list has no end");
}

test("[MCE15] the list has files, transcripts, and the memories of all stores; each is read", async () => {
  for (let store = 0; store < 12; store++) await storeWith(`Empty ${store}`, {});
  const many = Object.fromEntries(Array.from({ length: 103 }, (_, at) => [`/m/${at}`, `${at}`]));
  const id = await storeWith("Many", many);
  const resources = await listed("resources/list", "resources");
  const uris = resources.map(({ uri }) => String(uri));
  assert.equal(new Set(uris).size, uris.length);
  assert.equal(uris.filter((uri) => uri.includes(`${id}/memories/m/`)).length, 103);
  assert.ok(uris.some((uri) => uri.startsWith("plinth://files/")));
  assert.ok(uris.some((uri) => uri.endsWith("/transcript")));
  const [memory] = resources.filter(({ name }) => name === "/m/7");
  assert.deepEqual([memory?.["title"], memory?.["size"]], ["Many: /m/7", 1]);
  assert.equal((await read(String(memory?.["uri"])))["text"], "7");
  // The page is everybody's (MCE43).
  assert.deepEqual(
    (await listed("resources/list", "resources", stranger())).map((each) => each["uri"]),
    ["ui://plinth/session-timeline"],
  );
  for (const cursor of [
    "?",
    "e30",
    Buffer.from('{"stores":"x","memories":null}').toString("base64url"),
  ])
    assert.match(refusedWith(await ask("resources/list", { cursor }), -32602), /^cursor: /);
  const { result } = await ask("resources/templates/list", {});
  assert.deepEqual([result["ttlMs"], result["cacheScope"]], [300_000, "public"]);
  assert.equal(result["resourceTemplates"].length, 3);
});

test("[MCE16] skills are prompts: their instructions, and what is to be done behind them", async () => {
  const text = "# Forms\n\nFill in each field.\n\n---\n\nThen sign.\n";
  const { id } = await skills.upload(
    { "pdf-forms/SKILL.md": document("pdf-forms", "Fills forms.", text) },
    { display_name: "PDF forms" },
  );
  for (let at = 0; at < 21; at++) await skills.upload();
  const prompts = await listed("prompts/list", "prompts");
  assert.equal(prompts.length, 22);
  const name = `pdf-forms.${id}`;
  const prompt = prompts.find((each) => each["name"] === name);
  assert.deepEqual([prompt?.["title"], prompt?.["description"]], ["PDF forms", "Fills forms."]);
  const { result } = await ask("prompts/get", { name });
  const instructions = "# Forms\n\nFill in each field.\n\n---\n\nThen sign.";
  assert.deepEqual(result["messages"], [
    { role: "user", content: { type: "text", text: instructions } },
  ]);
  const asked = await ask("prompts/get", { name, arguments: { request: "The tax form." } });
  assert.equal(asked.result["messages"][0].content.text, `${instructions}\n\nThe tax form.`);
  assert.deepEqual(await listed("prompts/list", "prompts", stranger()), []);
  refusedWith(await ask("prompts/get", { name }, stranger()), -32602);
  for (const other of ["pdf-forms", id, `other.${id}`, "pdf-forms.skill_none"])
    assert.match(refusedWith(await ask("prompts/get", { name: other }), -32602), /no prompt/);
  const more = await ask("prompts/get", { name, arguments: { style: "x" } });
  assert.match(refusedWith(more, -32602), /^arguments\.style: /);
  assert.match(refusedWith(await ask("prompts/list", { cursor: "?" }), -32602), /^cursor: /);
});

test("[MCE17] ids and paths are proposed, those of the workspace alone", async () => {
  const id = await storeWith("Proposed", { "/plans/a.md": "", "/plans/b.md": "", "/other": "" });
  const uri = "plinth://memory_stores/{memory_store_id}/memories{+path}";
  const propose = async (
    template: string,
    name: string,
    value: string,
    known?: object,
    given = {},
  ) => {
    const params = {
      ref: { type: "ref/resource", uri: template },
      argument: { name, value },
      ...(known && { context: { arguments: known } }),
    };
    const { result, error } = await ask("completion/complete", params, given);
    return error?.message ?? (result["completion"]["values"] as string[]);
  };
  const known = { memory_store_id: id };
  assert.deepEqual(await propose(uri, "memory_store_id", id.slice(0, -2)), [id]);
  assert.deepEqual(await propose(uri, "path", "/pl", known), ["/plans/a.md", "/plans/b.md"]);
  assert.deepEqual(await propose(uri.replace("+", ""), "path", "/plans/b", known), ["/plans/b.md"]);
  assert.deepEqual(await propose(uri, "path", "", known), ["/other", "/plans/a.md", "/plans/b.md"]);
  assert.deepEqual(await propose(uri, "path", "/"), []);
  assert.deepEqual(await propose(uri, "path", "/", known, stranger()), []);
  assert.deepEqual(await propose(uri, "memory_store_id", "", {}, stranger()), []);
  const session = await sessionTold("Hi.");
  const transcript = "plinth://sessions/{session_id}/transcript";
  assert.deepEqual(await propose(transcript, "session_id", session), [session]);
  assert.match(String(await propose(uri, "name", "")), /has memory_store_id and path, and no name/);
  assert.match(String(await propose("plinth://none", "id", "")), /is no template/);
});

test("[MCE18] a session says what it waits for, and usage what sessions used", async () => {
  const id = await sessionTold('[[tool weather {"city": "Ulm"}]]', [weather]);
  const { structuredContent: state } = await call("get_session", { session_id: id });
  assert.deepEqual([state["status"], state["stop_reason"]], ["idle", "requires_action"]);
  const [waiting] = state["waiting_for"];
  assert.deepEqual([waiting.name, waiting.input], ["weather", { city: "Ulm" }]);
  const done = await sessionTold("Hello.");
  const ended = (await call("get_session", { session_id: done }))["structuredContent"];
  assert.deepEqual([ended["stop_reason"], ended["waiting_for"]], ["end_turn", []]);
  const hidden = await call("get_session", { session_id: id }, stranger());
  assert.match(hidden["content"][0].text, /^not_found_error: /);
  const used = (await call("usage", { days: 1 }))["structuredContent"];
  assert.equal(used["is_complete"], true);
  const mine = used["agents"].find((each: Fields) => each["agent"].id === ended["agent"].id);
  assert.equal(mine["sessions"], 1);
  assert.equal(mine["input_tokens"], ended["usage"].input_tokens);
  assert.ok(mine["output_tokens"] > 0);
  assert.deepEqual((await call("usage", {}, stranger()))["structuredContent"]["agents"], []);
  assert.equal((await call("usage", { days: 91 }))["isError"], true);
});
