// Which message requests are taken and which are refused: tools, thinking, effort, output and marks.
import { test } from "node:test";
import {
  assistant,
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
      /^tools\.0\.name: must match the pattern .*; found \d+ characters\.$/,
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
  );
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
  taken({ output_config: { format: null } }, { model: classic });
  taken({ output_format: format });
  refused({ output_config: { format } }, /^output_config\.format: is not taken by sim-classic/, {
    model: classic,
  });
  refused({ output_format: format }, /^output_format: is not taken by sim-classic/, {
    model: classic,
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
