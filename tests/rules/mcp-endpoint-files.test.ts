// The tools of /mcp that make files and delete them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { openHouse, type House } from "../house.ts";
import { filesOf, type Files } from "./files-house.ts";
import { asksPeople, mcpClient, type Fields } from "./mcp-endpoint-client.ts";
import { eventsOf } from "./support.ts";

let house: House;
let files: Files;
before(async () => {
  house = await openHouse();
  files = filesOf(house);
});
after(() => house[Symbol.asyncDispose]());

const own = () => house.organizations.platform;
const place = () => ({ url: house.url, key: own().api_key });
const alone = mcpClient(place);
const withPerson = mcpClient(place, asksPeople);
const upload = async (input: object): Promise<Fields> =>
  (await alone("tools/call", { name: "upload_file", arguments: input })).result;
const refusal = async (input: object): Promise<string> => {
  const result = await upload(input);
  assert.equal(result["isError"], true, JSON.stringify(result));
  return String(result["content"][0].text);
};
const read = async (file_id: string): Promise<Fields> =>
  (await alone("tools/call", { name: "read_file", arguments: { file_id } })).result;
const isThere = async (id: string) => (await files.call("GET", `/${id}`)).status === 200;

test("[MCE39] a file is made of a text or of base64, by the rules of the route", async () => {
  const made = await upload({ filename: "../up/Notes é.md", text: "# Grüße\n" });
  const { structuredContent: file } = made;
  assert.deepEqual(
    [file.filename, file.mime_type, file.size_bytes],
    ["Notes é.md", "text/markdown", 10],
  );
  assert.match((await read(file.id))["content"][0].text, /# Grüße/);
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg",
    "base64",
  );
  const picture = await upload({
    filename: "dot.png",
    mime_type: "image/png",
    data: `${png.toString("base64").slice(0, 20)}\n${png.toString("base64").slice(20)}`,
  });
  assert.equal(picture["structuredContent"].size_bytes, png.length);
  const [, image] = (await read(picture["structuredContent"].id))["content"];
  assert.equal(image.data, png.toString("base64"));
  const empty = await upload({ filename: "empty.txt", text: "" });
  assert.equal(empty["structuredContent"].size_bytes, 0);
  const events = await eventsOf(house, own());
  assert.ok(events.some(({ action }) => action === "file.uploaded"));
  for (const [input, words] of [
    [{ filename: "a" }, /text, data: give one of them/],
    [{ filename: "a", text: "x", data: "eA==" }, /text, data: give one of them/],
    [{ filename: "a", data: "no base64!" }, /data: is no base64/],
    [{ filename: "a", data: "eA=" + "=".repeat(3) + "x" }, /data: is no base64/],
    [{ filename: "a\u0007", text: "x" }, /file: the filename must not contain control/],
    [{ filename: "é".repeat(600), text: "x" }, /file: the filename must have at most/],
    [{ filename: "", text: "x" }, /filename: /],
    [{ filename: "a", text: "x", more: 1 }, /more: /],
  ] as const)
    assert.match(await refusal(input), words, JSON.stringify(input));
});

test("[MCE39] a file larger than a request is refused as a request", async () => {
  const text = "x".repeat(3 * 1024 * 1024);
  assert.equal(
    (await upload({ filename: "large.txt", text }))["structuredContent"].size_bytes,
    text.length,
  );
  const response = await alone("tools/call", {
    name: "upload_file",
    arguments: { filename: "larger.txt", text: "x".repeat(4 * 1024 * 1024) },
  });
  assert.equal(response.status, 413);
});

const deleting = (file_id: string) => ({ name: "delete_file", arguments: { file_id } });

test("[MCE39] a file is deleted when the person at the client says yes", async () => {
  const { id } = await files.upload({ content: "kept?", filename: 'say "hi".txt' });
  const { result: asked } = await withPerson("tools/call", deleting(id));
  assert.equal(asked["resultType"], "input_required");
  const [[key, request] = ["", {}]] = Object.entries<Fields>(asked["inputRequests"]);
  assert.match(
    request["params"].message,
    /^Delete the file "say \\"hi\\"\.txt" \(file_\w+, 5 bytes\)\?/,
  );
  assert.deepEqual(
    [request["type"], request["prompt"]],
    ["elicitation", request["params"].message],
  );
  assert.ok(await isThere(id));
  const { requestState } = asked;
  const answer = async (action: string | undefined, file_id = id) =>
    withPerson("tools/call", {
      ...deleting(file_id),
      requestState,
      inputResponses: action === undefined ? {} : { [key]: { action } },
    });
  for (const action of ["decline", "cancel", undefined]) {
    const { result } = await answer(action);
    assert.equal(result["isError"], true);
    assert.match(result["content"][0].text, /was kept/);
  }
  const other = await files.upload({ content: "another" });
  const { error } = await answer("accept", other.id);
  assert.deepEqual([error?.code, error?.data], [-32602, { reason: "invalid_request_state" }]);
  assert.ok((await isThere(id)) && (await isThere(other.id)));
  const { result } = await answer("accept");
  assert.equal(result["isError"], undefined, JSON.stringify(result));
  assert.equal(await isThere(id), false);
  const { result: again } = await answer("accept");
  assert.match(again["content"][0].text, /^not_found_error: /);
  const stranger = { key: house.organizations.other.api_key };
  const { result: absent } = await withPerson("tools/call", deleting(other.id), stranger);
  assert.match(absent["content"][0].text, /^not_found_error: /);
});

test("[MCE39] where the client can ask no person nothing is deleted", async () => {
  const { id } = await files.upload({ content: "kept" });
  const { result } = await alone("tools/call", deleting(id));
  assert.equal(result["isError"], true);
  assert.match(result["content"][0].text, /A person has to say yes/);
  assert.ok(await isThere(id));
});

test("[MCE39] a client of the older revision is asked in the midst of the call", async () => {
  const { id } = await files.upload({ content: "kept?" });
  const client = new Client({ name: "tests", version: "1" }, { capabilities: { elicitation: {} } });
  const headers = { authorization: `Bearer ${own().api_key}` };
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", house.url), {
    requestInit: { headers },
  });
  await client.connect(transport);
  const answers = ["decline", "accept"] as const;
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: answers[asked.length - 1] ?? "cancel", content: {} };
  });
  assert.equal((await client.callTool(deleting(id))).isError, true);
  assert.ok(await isThere(id));
  assert.equal((await client.callTool(deleting(id))).isError, undefined);
  assert.equal(await isThere(id), false);
  assert.equal(asked.length, 2);
  await client.close();
});
