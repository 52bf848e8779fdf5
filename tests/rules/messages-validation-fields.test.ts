// Which message requests are taken and which are refused: tools, thinking, effort, output and marks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { validateBody } from "../../server/messages/validate/body.ts";
import {
  assistant,
  base,
  call,
  classic,
  declares,
  lacks,
  medium,
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

test("[MSG17] a custom tool has a plain name and a schema of an object", () => {
  taken({ tools: [tool, { ...tool, name: "x".repeat(128), type: "custom", strict: true }] });
  for (const name of ["", "two words", "x".repeat(129)])
    refused(
      { tools: [{ ...tool, name }] },
      /^tools\.0\.name: must have 1 to 128 letters, digits, _ and - only; found \d+ characters\.$/,
    );
  refused(
    { tools: [{ name: "look" }] },
    "tools.0.input_schema: is required and must be an object.",
  );
  refused(
    { tools: [{ ...tool, input_schema: { type: "array" } }] },
    'tools.0.input_schema.type: must be "object"; found "array".',
  );
  refused(
    { tools: [tool] },
    "tools: are not taken by sim-large; leave them out or use another model.",
    { model: lacks({ tools: false }) },
  );
});

test("[MSG18] names of tools and servers are unique", () => {
  refused(
    { tools: [tool, { ...tool, name: "b" }, tool] },
    'tools.2.name: must not be the name of tools.0 too; found "look".',
  );
  const server = { type: "url", name: "docs", url: "https://example.com/mcp" };
  const mcp = { tools: [tool], mcp_servers: [server, server] };
  refused(mcp, 'mcp_servers.1.name: must not be given twice; found "docs".', {
    model: declares("mcp_servers"),
  });
  refused({ mcp_servers: mcp.mcp_servers }, /^mcp_servers\.1\.name: /, {
    model: declares("mcp_servers"),
  });
});

test("[MSG19] typed tools are taken where the model declares them", () => {
  const search = { type: "web_search_20260318", name: "web_search", max_uses: 3 };
  refused(
    { tools: [tool, search] },
    'tools.1.type: sim-large takes custom tools only; found "web_search_20260318".',
    { model: declares() },
  );
  // To the simulator, tools that the caller runs are names to call.
  taken({ tools: [{ type: "memory_20250818", name: "memory" }] });
  refused({ tools: [search] }, /^tools\.0\.type: sim-large takes custom, bash_20241022, /);
  taken({ tools: [search] }, { model: declares("web_search_20260318") });
  refused(
    { tools: [search] },
    'tools.0.type: sim-large takes custom, bash_20250124; found "web_search_20260318".',
    { model: declares("bash_20250124", "container") },
  );
  const model = declares("mcp_servers", "mcp_toolset");
  const mcp_servers = [{ type: "url", name: "docs", url: "https://example.com/mcp" }];
  const toolset = { type: "mcp_toolset", mcp_server_name: "docs" };
  taken({ mcp_servers, tools: [toolset] }, { model });
  refused(
    { tools: [toolset] },
    'tools.0.mcp_server_name: must be the name of one of mcp_servers; found "docs".',
    { model },
  );
});

test("[MSG20] a forced choice has something to choose", () => {
  for (const type of ["auto", "any", "none"]) taken({ tools: [tool], tool_choice: { type } });
  taken({ tools: [tool], tool_choice: { type: "tool", name: "look" } });
  taken({ tool_choice: { type: "auto" } });
  refused(
    { tools: [tool], tool_choice: { type: "tool", name: "see" } },
    'tool_choice.name: must be one of the tools: "look"; found "see".',
  );
  refused({ tool_choice: { type: "any" } }, /^tool_choice\.type: needs tools to choose from/);
  refused({ tools: [tool], tool_choice: { type: "tool" } }, /^tool_choice\.name: is required/);
  refused(
    { tools: [tool], tool_choice: { type: "some" } },
    /^tool_choice\.type: must be one of .*; found "some"\.$/,
  );
  const definition = { ...tool, name: "see" };
  const addition = { type: "tool_addition", tool: { type: "tool_definition", definition } };
  taken({
    tools: [tool],
    tool_choice: { type: "tool", name: "see" },
    ...turns(question, { role: "system", content: [addition] }),
  });
});

test("[MSG33] tools that come in on the way are tools like the others, and what is only named is there", () => {
  const change = (told: object, type = "tool_addition") =>
    turns(question, { role: "system", content: [{ type, tool: told }] });
  const define = (definition: object) => change({ type: "tool_definition", definition });
  const at = "messages.1.content.0.tool";
  taken({ tools: [tool], ...define({ ...tool, description: "defined anew" }) });
  taken({ tools: [tool], ...change({ type: "tool_reference", name: "look" }) });
  const search = { type: "web_search_20260318", name: "web_search" };
  refused(define(search), new RegExp(`^${at}.definition.type: sim-large takes custom`));
  taken(define(search), { model: declares("web_search_20260318") });
  const inUse = turns(
    question,
    assistant(words()),
    user({ type: "tool_addition", tool: { type: "tool_definition", definition: search } }),
  );
  refused(inUse, /^messages\.2\.content\.0\.tool\.definition\.type: sim-large takes custom/);
  refused(change({ type: "tool_definition" }), `${at}.definition: is required.`);
  refused(define({ name: "two words" }), new RegExp(`^${at}.definition.input_schema: is required`));
  refused(change({ type: "tool" }), new RegExp(`^${at}.type: must be one of .*; found "tool"`));
  refused(
    change({ type: "tool_definition", definition: tool }, "tool_removal"),
    new RegExp(`^${at}.type: must be one of "tool_reference"`),
  );
  refused(
    change({ type: "tool_reference", name: "see" }),
    `${at}.name: must be the name of one of tools, or of a tool that came in before; found "see".`,
  );
  refused(
    change({ type: "mcp_toolset_reference", server_name: "docs" }),
    new RegExp(`^${at}.server_name: must be the name of one of mcp_servers; found "docs"`),
  );
  refused(
    { tools: [{ ...tool, name: "web_search" }], ...define(search) },
    new RegExp(`^${at}.definition.name: must not be the name of a tool of another kind .custom.`),
    { model: declares("web_search_20260318") },
  );
  const set = { type: "computer_toolset_20260801" };
  const member = { type: "tool_addition", tool: { type: "tool_reference", name: "see" } };
  const addSet = { type: "tool_addition", tool: { type: "tool_definition", definition: set } };
  taken(turns(question, { role: "system", content: [addSet, member] }), {
    model: declares("computer_toolset_20260801"),
  });
  const summary = assistant({ type: "compaction", content: "They had a tool." });
  taken(turns(summary, question, { role: "system", content: [member] }), {
    model: declares("compaction"),
  });
  refused(
    define(tool),
    'messages.1.content.0.type: is not taken by sim-large: it takes no tools; found "tool_addition".',
    { model: lacks({ tools: false }) },
  );
  const gone = change({ type: "tool_reference", name: "look" }, "tool_removal");
  refused(
    { tools: [tool], tool_choice: { type: "tool", name: "look" }, ...gone },
    /^tool_choice\.type: needs tools to choose from/,
  );
});

test("[MSG33] the codes that clients know stand in the details", () => {
  const codeOf = (told: object, tools: object[]) => {
    const system = { role: "system", content: [{ type: "tool_addition", tool: told }] };
    const body = { ...base, tools, ...turns(question, system) };
    return validateBody(body, { model: declares("bash_20250124") })?.options?.code;
  };
  assert.equal(codeOf({ type: "tool_reference", name: "a" }, []), "tool_reference_unresolved");
  const definition = { type: "bash_20250124", name: "look" };
  assert.equal(codeOf({ type: "tool_definition", definition }, [tool]), "tool_name_conflict");
});

test("[MSG21] thinking is of a type that the model takes", () => {
  taken({ thinking: { type: "adaptive", display: "summarized" } });
  taken({ thinking: null });
  refused(
    { thinking: { type: "enabled", budget_tokens: 1_024 } },
    'thinking.type: sim-large takes adaptive, disabled, between_tools; found "enabled".',
  );
  refused(
    { thinking: { type: "between_tools" } },
    /^thinking\.type: sim-medium takes adaptive, disabled/,
    { model: medium },
  );
  refused({ thinking: { type: "disabled" } }, /^thinking\.type: sim-large takes no thinking; /, {
    model: lacks({ thinking: [] }),
  });
  refused(
    { thinking: { type: "always" } },
    /^thinking\.type: must be one of .*; found "always"\.$/,
  );
  refused(
    { thinking: { type: "adaptive", budget_tokens: 1_024 } },
    /^thinking\.budget_tokens: is not known here/,
  );
});

test("[MSG22] a budget is at least 1,024 and less than max_tokens", () => {
  const budget = (budget_tokens: unknown) => ({ thinking: { type: "enabled", budget_tokens } });
  const model = classic;
  taken(budget(1_024), { model });
  taken(budget(1_999), { model });
  refused(budget(1_023), "thinking.budget_tokens: must be at least 1024; found 1023.", { model });
  refused(
    budget(2_000),
    "thinking.budget_tokens: must be less than max_tokens, which is 2000; found 2000.",
    { model },
  );
  refused(budget(undefined), /^thinking\.budget_tokens: /, { model });
  taken({ ...budget(9_000), max_tokens: undefined }, { model, call: "count" });
});

test("[MSG23] a budget beside an effort is for models that take both", () => {
  const both = {
    thinking: { type: "enabled", budget_tokens: 1_024 },
    output_config: { effort: "low" },
  };
  taken(both, { model: classic });
  const model = { ...classic, effortWithBudget: false };
  refused(
    both,
    "thinking.budget_tokens: must not stand beside output_config.effort for sim-classic; found 1024.",
    { model },
  );
  taken({ ...both, output_config: { effort: null } }, { model });
});

test("[MSG24] an effort is a level that the model takes", () => {
  const effort = (level: unknown) => ({ output_config: { effort: level } });
  for (const level of ["low", "medium", "high", "xhigh", "max", null]) taken(effort(level));
  taken({ output_config: null });
  refused(
    effort("xhigh"),
    'output_config.effort: must be one of low, medium, high, max for sim-medium; found "xhigh".',
    { model: medium },
  );
  const set = (level: unknown) =>
    turns(question, { role: "system", output_config: { effort: level } });
  for (const level of ["xhigh", "adaptive", "none"])
    refused(
      set(level),
      /^messages\.1\.output_config\.effort: must be one of low, medium, high, max for sim-medium/,
      { model: medium },
    );
  refused(
    effort("low"),
    'output_config.effort: is not taken by sim-small; leave it out; found "low".',
    { model: small },
  );
  taken(effort(null), { model: small });
  refused(
    effort("adaptive"),
    /^output_config\.effort: must be one of low, .* adaptive is a type of thinking; found "adaptive"\.$/,
  );
  refused(
    effort("ultracode"),
    /^output_config\.effort: must be one of low, .*; found "ultracode"\.$/,
  );
  refused(effort(3), /^output_config\.effort: must be /);
  const midway = { role: "system", output_config: { effort: "xhigh" } };
  taken(turns(question, midway));
  refused(
    turns(question, midway),
    /^messages\.1\.output_config\.effort: must be one of .* for sim-medium/,
    { model: medium },
  );
});

test("[MSG25] a schema for the output goes to models with structured outputs", () => {
  const format = { type: "json_schema", schema: { type: "object" } };
  taken({ output_config: { format } });
  const model = { ...classic, structuredOutputs: false };
  taken({ output_config: { format: null } }, { model });
  taken({ output_format: format });
  refused({ output_config: { format } }, /^output_config\.format: is not taken by sim-classic/, {
    model,
  });
  refused({ output_format: format }, /^output_format: is not taken by sim-classic/, {
    model,
  });
  refused(
    { output_format: format, output_config: { format } },
    /^output_format: is the early name/,
  );
  refused(
    { output_config: { format: { ...format, type: "xml" } } },
    /^output_config\.format\.type: must be "json_schema"; found "xml"\.$/,
  );
  refused(
    { output_config: { format: { type: "json_schema" } } },
    /^output_config\.format\.schema: is required/,
  );
});

test("[MSG26] a task leaves no more than its budget", () => {
  const task = (budget: object) => ({
    output_config: { task_budget: { type: "tokens", ...budget } },
  });
  taken(task({ total: 10, remaining: 10 }));
  taken({ output_config: { task_budget: null } });
  refused(
    task({ total: 10, remaining: 11 }),
    "output_config.task_budget.remaining: must be at most total, which is 10; found 11.",
  );
  refused(task({ total: 0 }), /^output_config\.task_budget\.total: must be at least 1; found 0\.$/);
});

test("[MSG27] stop sequences are few and short", () => {
  taken({ stop_sequences: [] });
  taken({ stop_sequences: Array.from({ length: 64 }, () => "x".repeat(1_000)) });
  refused(
    { stop_sequences: Array.from({ length: 65 }, () => "x") },
    "stop_sequences: must have at most 64 items; found 65 items.",
  );
  refused({ stop_sequences: [""] }, "stop_sequences.0: must not be empty; found 0 characters.");
  refused(
    { stop_sequences: ["x".repeat(1_001)] },
    "stop_sequences.0: must have at most 1000 characters; found 1001 characters.",
  );
});

test("[MSG28] small fields have their documented shapes", () => {
  taken({ stream: false, metadata: { user_id: null }, service_tier: "auto", speed: "fast" });
  taken({ metadata: { user_id: "u" }, service_tier: "standard_only", speed: null });
  taken({ inference_geo: "eu", diagnostics: { previous_message_id: null } });
  taken({ billing_policy: { type: "billing_policy", bill_to: "self" } });
  refused({ stream: "yes" }, "stream: must be true or false, not a string.");
  refused({ metadata: { user: "u" } }, /^metadata\.user: is not known here/);
  refused(
    { metadata: { user_id: "u".repeat(1_025) } },
    /^metadata\.user_id: must have at most 1024 characters; found 1025 characters\.$/,
  );
  refused(
    { service_tier: "gold" },
    'service_tier: must be one of "auto", "standard_only"; found "gold".',
  );
  refused(
    { speed: "ludicrous" },
    /^speed: must be one of "standard", "fast" or null; found "ludicrous"\.$/,
  );
  refused(
    { billing_policy: { type: "billing_policy", bill_to: "user_profile" } },
    'billing_policy.bill_to: must be "self"; found "user_profile".',
  );
});

test("[MSG29] a compaction does not stand beside context_management", () => {
  const both = { compaction: { type: "summarize" }, context_management: {} };
  refused(both, /^compaction: must not stand beside context_management/, {
    model: declares(...Object.keys(both)),
  });
});

test("[MSG30] at most four marks, those of an hour first", () => {
  const short = { cache_control: { type: "ephemeral" } };
  const hour = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const marked = (count: number) =>
    turns(user(...Array.from({ length: count }, () => words("…", short))));
  taken(marked(4));
  refused(marked(5), /^messages\.0\.content\.4\.cache_control: is one mark too many; at most 4 /);
  refused(
    { tools: [{ ...tool, ...short }], system: [words("…", short)], ...marked(3) },
    /^messages\.0\.content\.2\.cache_control: /,
  );
  taken({ ...marked(4), ...short });
  refused(
    { ...turns(...marked(4).messages, question), ...short },
    /^cache_control: is one mark too many/,
  );
  const order =
    /^messages\.0\.content\.0\.cache_control\.ttl: must be "5m": 1h marks come before 5m marks; found "1h"\.$/;
  refused({ system: [words("…", short)], ...turns(user(words("…", hour))) }, order);
  taken({ system: [words("…", hour)], ...turns(user(words("…", short))) });
  const within = { ...result, content: [words("…", short)] };
  refused(
    turns(question, assistant(call), user(within, words("…", hour))),
    /^messages\.2\.content\.1\.cache_control\.ttl/,
  );
  refused(
    { cache_control: { type: "ephemeral", ttl: "2h" } },
    'cache_control.ttl: must be one of "5m", "1h"; found "2h".',
  );
  taken({ ...turns(user(words("…", { cache_control: null }))), cache_control: null });
});
