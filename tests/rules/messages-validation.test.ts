// Which message requests are taken and which are refused, and in what words: bodies, turns and blocks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { validateBody } from "../../server/messages/validate/body.ts";
import type { Model } from "../../server/models/module.ts";
import {
  assistant,
  call,
  classic,
  declares,
  image,
  lacks,
  large,
  medium,
  pdf,
  question,
  refused,
  result,
  small,
  taken,
  tool,
  turns,
  user,
  words,
} from "./messages-bodies.ts";
import { cpuMsOf } from "./support.ts";

const boundary = { type: "fallback", from: { model: "sim-large" }, to: { model: "sim-small" } };
const userBlocks: object[] = [
  words("…", { citations: null }),
  image,
  { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
  { type: "image", source: { type: "file", file_id: "file_1" }, transformations: {} },
  pdf,
  { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } },
  { ...pdf, title: null, context: "…", citations: { enabled: true } },
  { type: "search_result", source: "s", title: "t", content: [words()] },
];
const given = (type: string) => ({ type, tool_use_id: "s", content: { type: `${type}_error` } });
const assistantBlocks: object[] = [
  words(),
  { type: "thinking", thinking: "", signature: "x" },
  { type: "redacted_thinking", data: "x" },
  { type: "server_tool_use", id: "s", name: "web_search", input: {}, caller: { type: "direct" } },
  given("web_search_tool_result"),
  given("web_fetch_tool_result"),
  given("code_execution_tool_result"),
  given("bash_code_execution_tool_result"),
  given("text_editor_code_execution_tool_result"),
  given("tool_search_tool_result"),
  given("advisor_tool_result"),
  { type: "mcp_tool_use", id: "m", name: "n", server_name: "docs", input: {} },
  { type: "mcp_tool_result", tool_use_id: "m", content: [words()], is_error: false },
  { type: "mcp_tool_listing", mcp_server_name: "docs", tools: [] },
  { type: "compaction", content: null, encrypted_content: "x" },
  { type: "fallback", from: { model: "a" }, to: { model: "b" }, trigger: null },
  { type: "connector_text", text: "…" },
];

test("[MSG1] a body has a model, max_tokens and messages", () => {
  taken({});
  for (const value of [undefined, null, [], "{}", 5])
    assert.match(validateBody(value, { model: large })?.message ?? "", /must be a JSON object/);
  refused({ max_tokens: undefined }, /^max_tokens: /);
  refused({ messages: undefined }, /^messages: /);
  refused({ model: 5 }, "model: must be a string, not a whole number.");
  const counting = { model: large, call: "count" } as const;
  assert.equal(validateBody({ model: "m", messages: [question] }, counting), undefined);
  taken({ stream: true, stop_sequences: ["x"], fallbacks: "default", temperature: 1 }, counting);
  refused({ max_tokens: -1 }, /^max_tokens: must be at least 0; found -1\.$/, counting);
});

test("[MSG2] bodies are closed at each level, and sampling fields are taken", () => {
  taken({ temperature: 0.5, top_p: 1, top_k: 40 });
  taken({ effort: "adaptive" });
  refused({ temperature: 2.1 }, "temperature: must be at most 2; found 2.1.");
  refused({ top_p: "1" }, "top_p: must be a number, not a string.");
  refused({ top_k: 0.5 }, "top_k: must be a whole number, not a fraction.");
  refused({ max_token: 1 }, "max_token: is not known here; did you mean max_tokens?");
  refused({ zebra_crossing_mode: 1 }, "zebra_crossing_mode: is not known here.");
  refused(turns({ ...question, name: "x" }), /^messages\.0\.name: is not known here/);
  const block = words("…", { texts: 1 });
  refused(turns(user(block)), /^messages\.0\.content\.0\.texts: .*did you mean text\?$/);
  refused({ tools: [{ ...tool, inputschema: {} }] }, /^tools\.0\.inputschema: .*input_schema\?$/);
  refused({ output_config: { efort: "low" } }, /^output_config\.efort: .*effort\?$/);
});

test("[MSG3] what only some upstreams know is taken where the model declares it", () => {
  const server = { type: "url", name: "docs", url: "https://example.com/mcp" };
  const fields = {
    mcp_servers: [server],
    container: { id: "container_1", skills: [{ type: "custom", skill_id: "s" }] },
    compaction: { type: "summarize" },
  };
  for (const [field, value] of Object.entries(fields)) {
    refused(
      { [field]: value },
      `${field}: is not taken by sim-large; leave it out or use a model that takes it.`,
    );
    taken({ [field]: value }, { model: declares(field) });
    if (field !== "mcp_servers") taken({ [field]: null });
  }
  taken({ compaction: fields.compaction }, { call: "count" });
  refused({ secret_sauce: 1 }, /^secret_sauce: is not known/);
  taken({ secret_sauce: 1 }, { model: declares("secret_sauce") });
  const model = declares("mcp_servers", "container");
  refused({ mcp_servers: [{ ...server, type: "stdio" }] }, /^mcp_servers\.0\.type: .*"stdio"\.$/, {
    model,
  });
  refused({ mcp_servers: [{ type: "url", name: "x" }] }, /^mcp_servers\.0\.url: is required/, {
    model,
  });
  refused({ container: { id: 5 } }, /^container\.id: must be a string or null/, { model });
});

test("[MSG60] context management is taken for every model, in its shape", () => {
  const edits = [{ type: "clear_tool_uses_20250919", keep: { type: "tool_uses", value: 3 } }];
  for (const model of [large, medium, small, classic, declares("context_management")])
    for (const call of ["create", "count"] as const)
      for (const value of [{ edits }, { edits: [] }, {}, null])
        taken({ context_management: value }, { model, call });
  refused({ context_management: { edits: [{}] } }, /^context_management\.edits\.0\.type: /);
  refused({ context_management: { edit: [] } }, /^context_management\.edit: .*edits\?$/);
  refused({ context_management: [] }, /^context_management: /);
});

test("[MSG4] threads are refused before all else, in the words that clients wait for", () => {
  const thread = { type: "continue", previous_message_id: "msg_1" };
  const failure = validateBody({ messages: [], thread, odd: 1 }, { model: large });
  assert.deepEqual(failure?.options.details, { unsupported: ["thread"] });
  assert.equal(failure?.options.code, "thread_unsupported_request");
  assert.equal(failure?.type, "invalid_request_error");
  taken({ thread: null });
});

test("[MSG5] max_tokens is a whole number up to what the model can write", () => {
  taken({ max_tokens: 0 });
  taken({ max_tokens: 128_000 });
  refused(
    { max_tokens: 128_001 },
    "max_tokens: must be at most 128000 for sim-large; found 128001.",
  );
  taken({ max_tokens: 1e9 }, { model: lacks({ maxTokens: null }) });
  refused({ max_tokens: 1e9 + 1 }, /^max_tokens: must be at most 1000000000; /, {
    model: lacks({ maxTokens: null }),
  });
  refused({ max_tokens: "10" }, "max_tokens: must be a whole number, not a string.");
  refused({ max_tokens: 1.5 }, "max_tokens: must be a whole number, not a fraction.");
});

test("[MSG6] messages are turns of three roles with text or blocks", () => {
  refused(turns(), "messages: must not be empty; found 0 items.");
  const robot = { role: "robot", content: "x" };
  refused(
    turns(robot),
    'messages.0.role: must be one of "user", "assistant", "system"; found "robot".',
  );
  const long = { role: "r".repeat(200), content: "x" };
  refused(turns(long), new RegExp(`found "r{39}…"\\.$`));
  refused(turns({ role: "user" }), /^messages\.0\.content: is required/);
  refused(
    turns({ role: "user", content: 5 }),
    /must be a string or an array, not a whole number\.$/,
  );
  refused(
    turns(question, { role: "assistant", content: null }),
    /^messages\.1\.content: .*not null\.$/,
  );
  const many = Array.from({ length: 100_001 }, () => question);
  refused({ messages: many }, "messages: must have at most 100000 turns; found 100001 items.");
  taken({ messages: many.slice(1) });
});

test("[MSG7] the user speaks first, or a compaction in the place of what was said", () => {
  refused(
    turns({ role: "assistant", content: "Hm." }, question),
    'messages.0.role: must be "user": the first turn is the user\'s; found "assistant".',
  );
  refused(
    turns({ role: "system", content: "Hm." }, question),
    /^messages\.0\.role: must be "user"/,
  );
  taken(turns(assistant({ type: "compaction", content: "…" }), question));
});

test("[MSG8] blocks have the shapes of their kinds and stand where they belong", () => {
  for (const block of userBlocks) taken(turns(user(block)));
  for (const block of assistantBlocks) taken(turns(question, assistant(block), question));
  refused(
    turns(user({ type: "txt" })),
    /^messages\.0\.content\.0\.type: must be one of .*; found "txt"\.$/,
  );
  refused(
    turns(user({ type: "image", source: "x" })),
    /content\.0\.source: must be an object, not a string\.$/,
  );
  const tiff = { type: "base64", media_type: "image/tiff", data: "AAAA" };
  refused(
    turns(user({ type: "image", source: tiff })),
    /source\.media_type: must be one of "image\/jpeg", .*; found "image\/tiff"\.$/,
  );
  const inner = { ...result, content: [{ type: "thinking", thinking: "", signature: "" }] };
  refused(
    turns(question, assistant(call), user(inner)),
    /^messages\.2\.content\.0\.content\.0\.type: must be one of/,
  );
  refused(
    turns(question, assistant({ ...call, input: [] }), user(result)),
    /\.input: must be an object, not an array\.$/,
  );
  refused(
    turns(user(call)),
    'messages.0.content.0.type: stands in a user turn; only the assistant\'s hold it; found "tool_use".',
  );
  refused(
    turns(question, assistant(result), question),
    /^messages\.1\.content\.0\.type: stands in an assistant turn/,
  );
});

test("[MSG9] system turns hold text and changes of tools, and belong to nobody's turn", () => {
  const system = (rest: object) => ({ role: "system", ...rest });
  taken(turns(question, system({ content: "Be brief.", clear_at: "never" })));
  taken(turns(question, system({ output_config: { effort: "low" } })));
  const removal = { type: "tool_removal", tool: { type: "tool_reference", name: "look" } };
  taken({ tools: [tool], ...turns(question, system({ content: [removal] })) });
  refused(
    turns(question, system({})),
    "messages.1.content: is required, or output_config.effort is.",
  );
  refused(turns(question, system({ output_config: {} })), /^messages\.1\.content: is required/);
  refused(
    turns(question, system({ content: [image] })),
    /^messages\.1\.content\.0\.type: .*"image"\.$/,
  );
  refused(turns({ ...question, clear_at: "never" }), /^messages\.0\.clear_at: is not known/);
  taken(turns(question, assistant(call), system({ content: "Hush." }), user(result)));
});

test("[MSG10] a result answers a call of the turn before, once", () => {
  taken(turns(question, assistant(call), user(result)));
  taken(turns(question, assistant(call), question, user(result)));
  refused(
    turns(user(result)),
    'messages.0.content.0.tool_use_id: must be the id of a tool_use in the assistant turn before; found "toolu_1".',
  );
  refused(
    turns(question, assistant(call), user(result), assistant(words()), user(result)),
    /^messages\.4\.content\.0\.tool_use_id: must be the id/,
  );
  refused(
    turns(question, assistant(call), user(result, result)),
    /^messages\.2\.content\.1\.tool_use_id: must not be answered twice/,
  );
});

test("[MSG10] an answer a turn later is too late", () => {
  const late = turns(question, assistant(call), question, assistant(words()), user(result));
  refused(late, /^messages\.1\.content\.0: is a tool_use without its tool_result/);
  const spared = [question, assistant(call, boundary), question, assistant(words()), user(result)];
  refused(turns(...spared), /^messages\.4\.content\.0\.tool_use_id: must be the id/);
});

test("[MSG11] a call is answered in the next user turn, unless a fallback came after it", () => {
  const second = { ...call, id: "toolu_2" };
  const missing = /^messages\.1\.content\.1: is a tool_use without its tool_result .*"toolu_2"\.$/;
  refused(turns(question, assistant(call, second), user(result)), missing);
  refused(
    turns(question, assistant(call, second), user(result), assistant(words()), question),
    missing,
  );
  refused(turns(question, assistant(call)), /^messages\.1\.content\.0: is a tool_use without/, {
    model: small,
  });
  taken(turns(question, assistant(call, boundary, words()), question));
  taken(
    turns(
      question,
      assistant(call, boundary, second),
      user(result, { ...result, tool_use_id: "toolu_2" }),
    ),
  );
  refused(
    turns(question, assistant(call, boundary, second), user(result)),
    /^messages\.1\.content\.2: is a tool_use/,
  );
  taken(turns(question, assistant(call)), { call: "count" });
});

test("[MSG12] an id of a call is not used twice within a turn", () => {
  refused(
    turns(question, assistant(call), assistant(call), user(result)),
    /^messages\.2\.content\.0\.id: must not be used twice; found "toolu_1"\.$/,
  );
  taken(turns(question, assistant(call), user(result), assistant(call), user(result)));
});

test("[MSG13] only models with prefill that do not think continue the assistant's turn", () => {
  const open = turns(question, { role: "assistant", content: "It is" });
  refused(open, "messages.1: must be a user turn: sim-large does not continue an assistant turn.");
  taken(open, { model: small });
  taken(open, { continues: true });
  taken(open, { call: "count" });
  taken(turns(...open.messages, question));
  const thinking = { type: "enabled", budget_tokens: 1_024 };
  refused({ ...open, thinking }, /^messages\.1: .* a model that thinks does not continue/, {
    model: classic,
  });
  taken({ ...open, thinking: { type: "disabled" } }, { model: classic });
  const paused = assistant({ type: "server_tool_use", id: "s", name: "web_search", input: {} });
  taken(turns(question, paused));
  refused(
    turns(question, paused, question, { role: "assistant", content: "It is" }),
    /^messages\.3: /,
  );
});

test("[MSG14] pictures go to models that see", () => {
  const model = lacks({ vision: false, documents: false });
  const blind =
    'messages.0.content.1.type: is not taken by sim-large: it reads no images; found "image".';
  refused(turns(user(words(), image)), blind, { model });
  const whole = { type: "base64", media_type: "application/pdf", data: "AAAA" };
  const read = { type: "document", source: whole };
  refused(
    turns(user(read)),
    /content\.0\.type: .* it reads no PDF documents; found "document"\.$/,
    {
      model,
    },
  );
  refused(
    turns(question, assistant(call), user({ ...result, content: [image] })),
    /^messages\.2\.content\.0\.content\.0\.type: /,
    { model },
  );
  const mixed = { type: "document", source: { type: "content", content: [words(), image] } };
  refused(turns(user(mixed)), /^messages\.0\.content\.0\.source\.content\.1\.type: /, { model });
  const plain = { type: "document", source: { type: "text", media_type: "text/plain", data: "…" } };
  taken(turns(user(plain)), { model });
  taken(turns(user(image, pdf, mixed)));
  // What a file holds is known when it was looked up.
  taken(turns(user(pdf)), { model });
  const sighted = { model: lacks({ documents: false }) };
  const filed = user({ ...result, content: [image, read] });
  refused(
    turns(question, assistant(call), filed),
    /^messages\.2\.content\.0\.content\.1\.type: /,
    sighted,
  );
});

test("[MSG15] files of a container go to models that have one", () => {
  const upload = { type: "container_upload", file_id: "file_1" };
  refused(
    turns(user(upload)),
    /^messages\.0\.content\.0\.type: is not taken by sim-large: it has no container/,
  );
  taken(turns(user(upload)), { model: declares("container") });
});

test("[MSG16] the system prompt is text", () => {
  taken({ system: "Be brief." });
  taken({ system: [words(), words()] });
  refused({ system: [image] }, /^system\.0\.type: must be "text"; found "image"\.$/);
  refused({ system: 5 }, "system: must be a string or an array, not a whole number.");
});

test("[MSG2] a body of nonsense is answered soon, however long it is", () => {
  const block = words("…", {});
  const long = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
  const within = { ...result, content: [...long(200_000, block), { type: "text" }] };
  const edits = [...long(200_000, { type: "x" }), {}];
  const metadata = Object.fromEntries(long(200_000, 1).map((one, index) => [`k${index}`, one]));
  const asks: [object, RegExp, Partial<Model>?][] = [
    [
      turns({ role: "user", content: [...long<object>(200_000, block), { type: "txt" }] }),
      /^messages\.0\.content\.200000\.type: /,
    ],
    [turns(user(within)), /^messages\.0\.content\.0: does not fit its schema, and holds too much/],
    [{ tools: [...long(200_000, tool), {}] }, /^tools\.200000\.\w+: is required/],
    [
      { stop_sequences: long(200_000, "x") },
      /^stop_sequences: must have at most 64 items; found 200000/,
    ],
    [{ metadata }, /^metadata: does not fit its schema, and holds too much/],
    [
      { context_management: { edits } },
      /^context_management: does not fit/,
      { pass: ["context_management"] },
    ],
  ];
  for (const [patch, sentence, facts = {}] of asks) {
    const tookMs = cpuMsOf(() => refused(patch, sentence, { model: lacks(facts) }));
    assert.ok(tookMs < 1_000, `${String(sentence)} took ${Math.round(tookMs)} ms`);
  }
});
