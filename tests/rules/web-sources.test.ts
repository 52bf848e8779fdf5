// Rule WEB5: which addresses of a conversation may be fetched.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentConfig } from "../../server/agents/module.ts";
import type { Turn } from "../../server/models/module.ts";
import { isFromSources } from "../../server/web_tools/page/sources.ts";
import type { UrlSources } from "../../server/web_tools/config.ts";
import { cpuMsOf } from "./support.ts";

const config = {
  tools: [
    { type: "custom", name: "lookup", description: "", input_schema: { type: "object" } },
    { type: "custom", name: "other", description: "", input_schema: { type: "object" } },
  ],
} satisfies Pick<AgentConfig, "tools">;
const all: UrlSources = { user_input: null, client_tool_results: null, server_tool_results: null };
const none = { type: "none" } as const;
const only = (...names: string[]) => listOf("only", names);
const except = (...names: string[]) => listOf("except", names);
const listOf = (type: "only" | "except", names: string[]) => ({
  type,
  tools: names.map((name) => ({ type: "tool_reference" as const, name })),
});

const user = (text: string): Turn => ({ role: "user", content: [{ type: "text", text }] });
const called = (name: string, text: string): Turn[] => [
  { role: "assistant", content: [{ type: "tool_use", id: `call_${name}`, name, input: {} }] },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: `call_${name}`, content: [{ type: "text", text }] },
    ],
  },
];
const isKnown = (url: string, turns: readonly Turn[], sources: Partial<UrlSources> = {}) =>
  isFromSources(new URL(url), { ...all, ...sources }, { turns, config });

test("[WEB5] an address is found as it is written, whatever stands around it", () => {
  const url = "https://a.example/x?b=1";
  for (const text of [
    url,
    `Read ${url}, then go on.`,
    `(${url})`,
    `[words](${url}).`,
    `<a href="${url}">`,
    `**${url}**`,
    `HTTPS://A.Example:443/x?b=1#part`,
    `看${url}，然后`,
    `\n${url}\n`,
  ])
    assert.equal(isKnown(url, [user(text)]), true, text);
  assert.equal(isKnown("https://a.example/f_(g)", [user("see https://a.example/f_(g).")]), true);
  for (const text of [
    "",
    "a.example/x?b=1",
    `${url}2`,
    "https://a.example/x",
    "http://a.example/x?b=1",
  ])
    assert.equal(isKnown(url, [user(text)]), false, text);
  assert.equal(isKnown(url, [{ role: "user", content: url }]), true);
  assert.equal(isKnown(url, [{ role: "system", content: [{ type: "text", text: url }] }]), true);
});

test("[WEB5] each source gives its addresses alone", () => {
  const url = "https://a.example/";
  const nothing = { user_input: none, client_tool_results: none, server_tool_results: none };
  const byTool = ["lookup", "other", "web_search", "web_fetch"] as const;
  assert.equal(isKnown(url, [user(url)], { user_input: none }), false);
  assert.equal(isKnown(url, [user(url)], { ...nothing, user_input: { type: "all" } }), true);
  const given: [Partial<UrlSources>, (typeof byTool)[number][]][] = [
    [{}, [...byTool]],
    [nothing, []],
    [{ client_tool_results: none }, ["web_search", "web_fetch"]],
    [{ server_tool_results: none }, ["lookup", "other"]],
    [{ ...nothing, client_tool_results: only("lookup") }, ["lookup"]],
    [{ ...nothing, client_tool_results: except("lookup") }, ["other"]],
    [{ ...nothing, client_tool_results: { type: "all" } }, ["lookup", "other"]],
    [{ ...nothing, server_tool_results: only("web_search") }, ["web_search"]],
    [{ ...nothing, server_tool_results: except("web_search") }, ["web_fetch"]],
  ];
  for (const [sources, names] of given)
    assert.deepEqual(
      byTool.filter((name) => isKnown(url, called(name, url), sources)),
      names,
      JSON.stringify(sources),
    );
});

test("[WEB5] what a model wrote and what other tools gave is no source", () => {
  const url = "https://a.example/";
  assert.equal(
    isKnown(url, [{ role: "assistant", content: [{ type: "text", text: url }] }]),
    false,
  );
  const asked = { type: "tool_use", id: "c", name: "web_fetch", input: { url } };
  assert.equal(isKnown(url, [{ role: "assistant", content: [asked] }]), false);
  for (const name of ["bash", "read", "delegate", "mcp_input"])
    assert.equal(isKnown(url, called(name, url)), false, name);
  const orphan = { type: "tool_result", tool_use_id: "gone", content: url };
  assert.equal(isKnown(url, [{ role: "user", content: [orphan] }]), false);
});

test("[WEB5] a long conversation is looked through once", () => {
  const wanted = "https://a.example/";
  const turnsOf = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      user(`https://b.example/${at}))))))))))) `.repeat(10)),
    );
  const [few, many] = [turnsOf(500), turnsOf(5_000)];
  const msOf = (turns: readonly Turn[]) => cpuMsOf(() => void isKnown(wanted, turns));
  msOf(few);
  assert.ok(msOf(many) < 100 * Math.max(msOf(few), 1));
  // One text that looks like an address all over.
  const text = `https://${"https://a.example/.".repeat(100_000)}`;
  assert.ok(cpuMsOf(() => void isKnown(wanted, [user(text)])) < 5_000);
});
