// Rules MDL16 to MDL18: in front of one upstream, what a model ignores, and what passes to an upstream.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { singleUpstreamLines, withSingleUpstream } from "../../server/models/module.ts";
import { noSettings } from "../../server/models/catalog/settings.ts";
import { openHouse, type House } from "../house.ts";
import { fakeUpstream, type ReplyWriter, type FakeUpstream } from "../upstreams/fake.ts";
import { sentenceOf } from "./support.ts";

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "local-one",
  content: [{ type: "text", text: "Yes.", citations: null }],
  stop_reason: "end_turn",
  stop_sequence: null,
  stop_details: null,
  usage: { input_tokens: 10, output_tokens: 2 },
};
const completion = {
  id: "c",
  model: "local-one",
  choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 2 },
};
const list = JSON.stringify({ data: [{ id: "local-one" }, { id: "local-two" }] });

/** A model server of one wire: an empty question is wrong, any other is answered. */
const serverOf =
  (kind: "messages" | "chat") =>
  ({ received: asked, reply }: ReplyWriter) => {
    const isMessages = asked.path.startsWith("/v1/messages");
    if (asked.method === "GET") reply(200, list);
    else if (isMessages !== (kind === "messages")) reply(404, '{"detail":"Not Found"}');
    else if (asked.body.length < 3) reply(400, '{"error":{"message":"empty"}}');
    else if (asked.path.endsWith("count_tokens")) reply(200, '{"input_tokens":7}');
    else reply(200, JSON.stringify(isMessages ? message : completion));
  };

interface Front {
  fake: FakeUpstream;
  house: House;
}
const fronts = {} as Record<"messages" | "chat", Front>;
before(async () => {
  for (const kind of ["messages", "chat"] as const) {
    const fake = await fakeUpstream(serverOf(kind));
    const { settings } = await withSingleUpstream(noSettings, fake.url);
    fronts[kind] = { fake, house: await openHouse({ sections: { models: settings } }) };
  }
});
after(async () => {
  for (const { fake, house } of Object.values(fronts)) {
    await house[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  }
});

const post = (kind: "messages" | "chat", body: object, betas = "", path = "/v1/messages") => {
  const { house } = fronts[kind];
  const headers = betas === "" ? {} : { "anthropic-beta": betas };
  return house.ask("POST", path, { key: house.organizations.platform.api_key, headers, body });
};
const lastAsked = (kind: "messages" | "chat") => fronts[kind].fake.requests.at(-1) ?? assert.fail();
const sentTo = (kind: "messages" | "chat") => JSON.parse(lastAsked(kind).body.toString());

const hello = { max_tokens: 300, messages: [{ role: "user", content: "Hello" }] };

test("[MDL16] in front of one upstream claude-… names lead to its first model, on either wire", async () => {
  for (const kind of ["messages", "chat"] as const) {
    for (const name of ["claude-opus-4", "claude-haiku-4-5", "claude-3-5-sonnet-latest"]) {
      const { status, body } = await post(kind, { ...hello, model: name });
      assert.deepEqual([status, body.model, body.content[0].text], [200, "local-one", "Yes."]);
      assert.equal(sentTo(kind).model, "local-one");
    }
    assert.equal((await post(kind, { ...hello, model: "local-two" })).body.model, "local-two");
    assert.equal((await post(kind, { ...hello, model: "sim-large" })).body.model, "sim-large");
  }
});

test("[MDL16] a name that was written somewhere goes before it, and so does a chosen model", async () => {
  const { fake } = fronts.chat;
  const own = {
    ...noSettings,
    models: [
      { id: "local-two", upstream: "simulator", aliases: ["claude-haiku-*"] },
      { id: "mine", upstream: "simulator", aliases: ["claude-*"] },
    ],
  };
  const written = await withSingleUpstream(own, fake.url);
  await using house = await openHouse({ sections: { models: written.settings } });
  const idOf = async (name: string, at = house) =>
    (await at.ask("GET", `/v1/models/${name}`, { key: at.organizations.platform.api_key })).body.id;
  assert.equal(await idOf("claude-haiku-4-5"), "local-two");
  assert.equal(await idOf("claude-opus-5"), "mine");
  const chosen = await withSingleUpstream(noSettings, fake.url, "unlisted");
  await using other = await openHouse({ sections: { models: chosen.settings } });
  assert.equal(await idOf("claude-opus-5", other), "unlisted");
  const { cookie } = other.organizations.platform;
  const body = { id: "console's", upstream: "simulator", aliases: ["claude-opus-*"] };
  assert.equal((await other.ask("POST", "/console/api/models", { cookie, body })).status, 200);
  assert.equal(await idOf("claude-opus-5", other), "console's");
  assert.equal(await idOf("claude-sonnet-5", other), "unlisted");
});

test("[MDL16] what both wires can say goes to a model of which nothing is known", async () => {
  const schema = { type: "object", properties: {}, additionalProperties: false };
  const format = { type: "json_schema", schema };
  const data = "iVBORw0KGgo=";
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
  const asked = { ...hello, model: "claude-opus-4-8" };
  const seeing = { messages: [{ role: "user", content: [image, { type: "text", text: "?" }] }] };
  for (const kind of ["messages", "chat"] as const) {
    const { status, body } = await post(kind, { ...asked, ...seeing, output_config: { format } });
    assert.equal(status, 200, JSON.stringify(body));
  }
  assert.deepEqual(sentTo("messages").output_config, { format });
  assert.deepEqual(sentTo("messages").messages, seeing.messages);
  const { response_format, messages } = sentTo("chat");
  assert.deepEqual(response_format.json_schema.schema, schema);
  assert.equal(messages[0].content[0].image_url.url, `data:image/png;base64,${data}`);
});

test("[MDL17] thinking and effort are dropped where the upstream has none, and told", async () => {
  const adaptive = { thinking: { type: "adaptive" } };
  const enabled = { thinking: { type: "enabled", budget_tokens: 1_024 } };
  const system = { role: "system", output_config: { effort: "max" } };
  const cases: [object, string | null][] = [
    [{}, null],
    [{ thinking: { type: "disabled" } }, null],
    [adaptive, "thinking"],
    [{ ...enabled, max_tokens: 32_000 }, "thinking"],
    [{ output_config: { effort: "high" } }, "effort"],
    [{ ...adaptive, output_config: { effort: "xhigh" } }, "thinking, effort"],
    [{ messages: [...hello.messages, system] }, "effort"],
  ];
  for (const kind of ["messages", "chat"] as const)
    for (const [change, told] of cases)
      for (const path of ["/v1/messages", "/v1/messages/count_tokens"]) {
        const body = { ...hello, model: "claude-opus-5", ...change };
        const { status, headers, body: answer } = await post(kind, body, "", path);
        const what = `${kind} ${path} ${JSON.stringify(change)}`;
        assert.equal(status, 200, `${what}: ${JSON.stringify(answer)}`);
        assert.equal(headers.get("plinth-ignored"), told, what);
        if (kind === "chat" && path.endsWith("count_tokens")) continue;
        const sent = sentTo(kind);
        assert.equal(sent.output_config ?? sent.reasoning_effort, undefined, what);
        if (told?.includes("thinking")) assert.equal(sent.thinking, undefined, what);
        assert.equal(sent.messages.length, 1, what);
      }
});

test("[MDL17] a model that ignores thinking continues an answer whose client asks it to think", async () => {
  const messages = [...hello.messages, { role: "assistant", content: "It is" }];
  for (const kind of ["messages", "chat"] as const) {
    const body = { ...hello, model: "claude-opus-5", messages, thinking: { type: "adaptive" } };
    const { status, headers, body: answer } = await post(kind, body);
    assert.equal(status, 200, JSON.stringify(answer));
    assert.equal(headers.get("plinth-ignored"), "thinking");
    assert.deepEqual(sentTo(kind).messages.at(-1), messages.at(-1));
  }
});

test("[MDL17] what a model takes is kept, and what it ignores is shown as unsupported", async () => {
  const { house } = fronts.messages;
  const { api_key: key, cookie } = house.organizations.platform;
  const { body: shown } = await house.ask("GET", "/v1/models/local-one", { key });
  assert.equal(shown.capabilities.thinking.types.adaptive.supported, false);
  assert.equal(shown.capabilities.effort.supported, false);
  const entry = {
    id: "thinker",
    upstream: "upstream",
    thinking: ["adaptive"],
    efforts: ["low"],
    ignores: ["effort"],
  };
  assert.equal(
    (await house.ask("POST", "/console/api/models", { cookie, body: entry })).status,
    200,
  );
  const ask = (change: object) => post("messages", { ...hello, model: "thinker", ...change });
  const kept = await ask({ thinking: { type: "adaptive" }, output_config: { effort: "low" } });
  assert.deepEqual([kept.status, kept.headers.get("plinth-ignored")], [200, null]);
  assert.deepEqual(sentTo("messages").output_config, { effort: "low" });
  const format = { type: "json_schema", schema: { type: "object" } };
  const higher = await ask({ output_config: { effort: "max", format: null } });
  assert.equal(higher.headers.get("plinth-ignored"), "effort");
  const enabled = { type: "enabled", budget_tokens: 1_024 };
  assert.match(
    sentenceOf(await ask({ max_tokens: 2_000, thinking: enabled }), 400),
    /^thinking\.type: thinker takes adaptive/,
  );
  assert.match(
    sentenceOf(await ask({ output_config: { format } }), 400),
    /is not taken by thinker/,
  );
  const streamed = await post("messages", { ...hello, model: "thinker", thinking: {} });
  assert.equal(streamed.status, 400, "a shape that is wrong stays wrong");
});

test("[MDL18] unknown fields and betas pass in front of one upstream of this wire, or where the entry passes them", async () => {
  const { house } = fronts.messages;
  const { cookie } = house.organizations.platform;
  for (const body of [
    { id: "closed", upstream: "upstream" },
    {
      id: "opened",
      upstream: "upstream",
      pass: ["new_field", "new-beta-2027-01-01", "speed", "inference_geo"],
    },
  ])
    assert.equal((await house.ask("POST", "/console/api/models", { cookie, body })).status, 200);
  const marked = [
    {
      role: "user",
      content: [
        { type: "text", text: "Hi", cache_control: { type: "ephemeral", scope: "global" } },
      ],
    },
  ];
  const betas = "new-beta-2027-01-01,other-2027,server-side-fallback-2026-07-01,oauth-2025-04-20";
  const odd = { ...hello, new_field: { deep: 1 } };
  const passed = await post("messages", { ...odd, messages: marked, model: "claude-x" }, betas);
  assert.equal(passed.status, 200, JSON.stringify(passed.body));
  assert.deepEqual(sentTo("messages").new_field, { deep: 1 });
  assert.deepEqual(sentTo("messages").messages, marked);
  assert.equal(lastAsked("messages").headers["anthropic-beta"], "new-beta-2027-01-01,other-2027");
  assert.match(
    sentenceOf(await post("messages", { ...odd, model: "closed" }), 400),
    /^new_field: /,
  );
  assert.equal((await post("messages", { ...hello, model: "closed" }, betas)).status, 200);
  assert.equal(lastAsked("messages").headers["anthropic-beta"], undefined);
  assert.equal((await post("messages", { ...odd, model: "opened" }, betas)).status, 200);
  assert.equal(lastAsked("messages").headers["anthropic-beta"], "new-beta-2027-01-01");
  assert.match(sentenceOf(await post("chat", { ...odd, model: "claude-x" }), 400), /^new_field: /);
});

test("[MDL18] no name passes that an upstream may read as a known one", async () => {
  const text = { type: "text", text: "hello" };
  const user = (content: unknown, more: object = {}) => ({
    messages: [{ role: "user", content, ...more }],
  });
  const tool = { name: "look", input_schema: { type: "object" } };
  for (const change of [
    { Model: "dear" },
    { Max_tokens: 9 },
    { MESSAGES: [] },
    { Speed: "fast" },
    { "\u017fpeed": "fast" },
    { "\u212aey": 1 },
    user("hello", { Content: "write a keylogger" }),
    user([{ ...text, Text: "write a keylogger" }]),
    { system: [{ ...text, TEXT: "x" }] },
    { tools: [{ ...tool, Type: "web_search_20250305" }] },
    { thinking: { type: "disabled", Type: "enabled" } },
  ]) {
    const { status, body } = await post("messages", { ...hello, ...change, model: "claude-x" });
    assert.equal(status, 400, JSON.stringify([change, body]));
  }
  const own = {
    ...tool,
    input_schema: { type: "object", properties: { City: { type: "string" } } },
  };
  assert.equal((await post("messages", { ...hello, tools: [own], model: "claude-x" })).status, 200);
});

test("[MDL18] tools that run at the caller pass by *, as they came", async () => {
  const tools = [
    { type: "bash_20250124", name: "bash" },
    { type: "text_editor_20250728", name: "str_replace_based_edit_tool", max_characters: 9_000 },
    { type: "memory_20250818", name: "memory" },
    { type: "computer_20251124", name: "computer", display_width_px: 9, display_height_px: 9 },
  ];
  const passed = await post("messages", { ...hello, model: "claude-x", tools });
  assert.equal(passed.status, 200, JSON.stringify(passed.body));
  assert.deepEqual(sentTo("messages").tools, tools);
  for (const [wire, model] of [
    ["messages", "closed"],
    ["chat", "claude-x"],
  ] as const)
    assert.match(
      sentenceOf(await post(wire, { ...hello, model, tools }), 400),
      /^tools\.0\.type: /,
    );
});

test("[MDL18] what changes a price or the place passes only by its name", async () => {
  const ask = (model: string, change: object) => post("messages", { ...hello, model, ...change });
  for (const model of ["claude-x", "closed"]) {
    assert.match(sentenceOf(await ask(model, { speed: "fast" }), 400), /^speed: .*"standard" only/);
    assert.match(
      sentenceOf(await ask(model, { service_tier: "standard_only" }), 400),
      /^service_t/,
    );
    const search = [{ type: "web_search_20250305", name: "web_search" }];
    assert.match(sentenceOf(await ask(model, { tools: search }), 400), /^tools\.0\.type: /);
    // It is this server that would call it.
    const servers = [{ type: "url", name: "a", url: "http://10.0.0.1" }];
    const refused = sentenceOf(await ask(model, { mcp_servers: servers }), 400);
    assert.match(refused, /^mcp_servers\.0\.url: leads to 10\.0\.0\.1/);
    assert.match(
      sentenceOf(await ask(model, { inference_geo: "us" }), 400),
      /^inference_geo: .*"global" only/,
    );
    const plain = { speed: "standard", service_tier: "auto", inference_geo: "global" };
    assert.equal((await ask(model, plain)).status, 200);
  }
  assert.equal((await ask("opened", { speed: "fast" })).status, 200);
  assert.equal(sentTo("messages").speed, "fast");
  assert.equal((await ask("opened", { inference_geo: "us" })).status, 200);
  assert.equal(sentTo("messages").inference_geo, "us");
});

/** As an agent at a terminal asks, with everything that it always sends. */
const agentAsks = {
  model: "claude-haiku-4-5-20251001",
  max_tokens: 32_000,
  thinking: { type: "enabled", budget_tokens: 31_999 },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  metadata: { user_id: '{"device_id":"d","account_uuid":"","session_id":"s"}' },
  system: [
    { type: "text", text: "Header: 1" },
    { type: "text", text: "You help.", cache_control: { type: "ephemeral" } },
  ],
  tools: [
    {
      name: "Read",
      description: "Reads a file.",
      input_schema: { type: "object", properties: { path: { type: "string" } } },
      eager_input_streaming: true,
      defer_loading: true,
      cache_control: { type: "ephemeral" },
    },
  ],
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "<context>" },
        { type: "text", text: "Hi" },
      ],
    },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "Read", input: { path: "a" } }],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [{ type: "tool_reference", tool_name: "Read" }],
        },
      ],
    },
    { role: "system", content: "The time is late." },
  ],
};
const agentBetas =
  "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,effort-2025-11-24";

test("[MDL17] what an agent at a terminal always sends is answered on either wire", async () => {
  for (const kind of ["messages", "chat"] as const) {
    const { status, headers, body } = await post(kind, agentAsks, agentBetas);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(headers.get("plinth-ignored"), "thinking");
    assert.deepEqual(body.context_management, { applied_edits: [] });
    const { messages, tools } = sentTo(kind);
    assert.equal(tools.length, 1);
    if (kind === "messages") assert.deepEqual(messages, agentAsks.messages);
    else assert.equal(messages.at(-2).content, "The tool Read can be used.");
  }
});

test("[MDL16] the start warns of a chosen model that the server does not list, or that the simulator has", async () => {
  const { url } = fronts.chat.fake;
  const warned = async (chosen: string, at = url) =>
    singleUpstreamLines((await withSingleUpstream(noSettings, at, chosen)).settings).slice(1);
  assert.deepEqual(await warned("local-two"), []);
  const unlisted = `Warning: ${url} lists no model NAME that writes text; it has local-one, local-two.`;
  assert.deepEqual(await warned("locol-two"), [unlisted.replace("NAME", "locol-two")]);
  assert.deepEqual(await warned("sim-large"), [
    unlisted.replace("NAME", "sim-large"),
    `Warning: sim-large is the simulator's name too, and leads to ${url} now.`,
  ]);
  await using long = await fakeUpstream(({ received: asked, reply }) => {
    const data = Array.from({ length: 12 }, (_, index) => ({ id: `m${index}` }));
    if (asked.method === "GET") reply(200, JSON.stringify({ data }));
    else reply(400, '{"error":{"message":"empty"}}');
  });
  assert.match((await warned("m", long.url))[0] ?? "", /has m0, m1, .*m9, and 2 more\.$/);
});
