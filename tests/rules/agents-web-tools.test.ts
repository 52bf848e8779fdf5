// Rules AGT21 to AGT24, over HTTP: what web_search and web_fetch of an agent may be told.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { configured, custom, openAgentHouse, toolset, type AgentHouse } from "./agents-house.ts";

let a: AgentHouse;
before(async () => {
  a = await openAgentHouse();
});
after(() => a[Symbol.asyncDispose]());

const at = (field: string, rest: string) =>
  new RegExp(`^tools\\.0\\.configs\\.0\\.${field}${rest}`);

async function configOf(name: string, more: object) {
  const { id, tools } = await a.make(configured(name, more));
  assert.deepEqual((await a.read(id)).tools, tools);
  const [found] = tools;
  const config = found?.type === toolset ? found.configs[0] : undefined;
  assert.ok(config !== undefined);
  const { enabled: _, permission_policy: __, type, name: called, ...own } = config;
  assert.deepEqual([called, type], [name, name]);
  return own as Record<string, unknown>;
}

test("[AGT21] domains are plain names, in one of two lists", async () => {
  const domains = Array.from({ length: 64 }, (_, index) => `d${index}.example.com`);
  const long = `${"l".repeat(63)}.${"l".repeat(63)}.${"l".repeat(63)}.${"l".repeat(61)}`;
  assert.equal(long.length, 253);
  for (const name of ["web_search", "web_fetch"])
    for (const list of ["allowed_domains", "blocked_domains"])
      for (const value of [domains, [long], ["localhost", "10.0.0.1", "xn--bcher-kva.example"]])
        assert.deepEqual((await configOf(name, { [list]: value }))[list], value);
  const withPath = ["example.com/a/b%20c", "example.com/"];
  assert.deepEqual(
    (await configOf("web_search", { allowed_domains: withPath }))["allowed_domains"],
    withPath,
  );
  await a.make(configured("web_search", { allowed_domains: [`a.b/${"p".repeat(1_020)}`] }));
  const nothing = { allowed_domains: null, blocked_domains: null };
  assert.deepEqual(await configOf("web_search", nothing), { user_location: null });
  const list = (value: unknown) => ({ allowed_domains: value });
  for (const name of ["web_search", "web_fetch"]) {
    const wrong = [
      "https://example.com",
      "example.com:80",
      "*.example.com",
      "example..com",
      ".example.com",
      "-a.com",
      "a-.com",
      "",
      "bücher.example",
      "a b.com",
      "example.com?x",
      "example.com/a?b",
      "example.com/a#b",
      `${long}l`,
      `${"l".repeat(64)}.com`,
    ];
    for (const domain of wrong)
      await a.refuses([
        [configured(name, list([domain])), at("allowed_domains\\.0", ": must be a plain")],
      ]);
    await a.refuses([
      [configured(name, list([])), at("allowed_domains", ": must not be empty; leave it out")],
      [configured(name, list([...domains, "a.b"])), at("allowed_domains", ": .*at most 64 items")],
      [
        configured(name, { allowed_domains: ["a.b"], blocked_domains: ["a.b"] }),
        at("blocked_domains", ": must not stand beside allowed_domains"),
      ],
    ]);
  }
  await a.refuses([
    [
      configured("web_fetch", list(["example.com/a"])),
      at("allowed_domains\\.0", ": .* path or \\*"),
    ],
    [
      configured("web_search", list([`a.b/${"p".repeat(1_021)}`])),
      at("allowed_domains\\.0", ": must be a plain"),
    ],
  ]);
  for (const name of ["bash", "edit", "read", "write", "glob", "grep"])
    await a.refuses([
      [
        configured(name, list(["a.b"])),
        at("allowed_domains", `: is not taken by ${name}; known are`),
      ],
    ]);
});

test("[AGT22] a location is approximate, with what is known of it", async () => {
  const known = { type: "approximate", country: "DE", timezone: "Europe/Berlin" };
  const { user_location } = await configOf("web_search", { user_location: known });
  assert.deepEqual(user_location, { city: null, region: null, ...known });
  const long = "c".repeat(255);
  const whole = { ...known, city: long, region: long };
  assert.deepEqual(
    (await configOf("web_search", { user_location: whole }))["user_location"],
    whole,
  );
  const located = (more: object) =>
    configured("web_search", { user_location: { type: "approximate", ...more } });
  await a.refuses([
    [located({ type: "exact" }), at("user_location\\.type", ': must be "approximate"')],
    [located({ country: "de" }), at("user_location\\.country", ": must be a country as two large")],
    [
      located({ timezone: "Mars/Olympus" }),
      at("user_location\\.timezone", ": must be a time zone"),
    ],
    [located({ city: `${long}c` }), at("user_location\\.city", ": .*255 characters")],
    [located({ region: `${long}c` }), at("user_location\\.region", ": .*255 characters")],
    [
      configured("web_fetch", { user_location: known }),
      at("user_location", ": is not taken by web_f"),
    ],
  ]);
});

test("[AGT23] web_fetch has a bound, and sources as objects", async () => {
  const nothing = { max_content_tokens: null, url_sources: null };
  assert.deepEqual(await configOf("web_fetch", {}), nothing);
  assert.deepEqual(await configOf("web_fetch", { max_content_tokens: 10_000_000 }), {
    ...nothing,
    max_content_tokens: 10_000_000,
  });
  const sources = async (url_sources: object) =>
    (await configOf("web_fetch", { url_sources }))["url_sources"];
  const unset = { user_input: null, client_tool_results: null, server_tool_results: null };
  assert.deepEqual(await sources({}), unset);
  assert.deepEqual(await sources({ user_input: "all", server_tool_results: { type: "none" } }), {
    ...unset,
    user_input: { type: "all" },
    server_tool_results: { type: "none" },
  });
  const none = { user_input: "none", client_tool_results: "none" };
  await sources(none);
  const fetching = (more: object) => configured("web_fetch", more);
  const all = { ...none, server_tool_results: { type: "none" } };
  await a.refuses([
    [fetching({ url_sources: all }), at("url_sources", ": must leave web_fetch an address")],
    [
      fetching({ url_sources: { user_input: "some" } }),
      at("url_sources\\.user_input", ": must be one"),
    ],
    [
      fetching({ url_sources: { user_input: { type: "only", tools: [] } } }),
      at("url_sources\\.user_input", ""),
    ],
    [fetching({ max_content_tokens: 0 }), at("max_content_tokens", ": must be at least 1")],
    [fetching({ max_content_tokens: 10_000_001 }), at("max_content_tokens", ": must be at most 1")],
    [fetching({ max_content_tokens: 1.5 }), at("max_content_tokens", ": must be a whole number")],
    [
      configured("web_search", { max_content_tokens: 1 }),
      at("max_content_tokens", ": is not taken"),
    ],
  ]);
});

test("[AGT24] sources name tools that are there, each once", async () => {
  const reference = (name: string) => ({ type: "tool_reference", name });
  const many = Array.from({ length: 129 }, (_, index) => `t${index}`);
  const fetching = (field: string, type: string, names: readonly string[], tools = names) => ({
    tools: [
      ...configured("web_fetch", {
        url_sources: { [field]: { type, tools: names.map(reference) } },
      }).tools,
      ...tools.map((name) => custom(name)),
    ],
  });
  const client = "client_tool_results";
  const served = "server_tool_results";
  await a.make(fetching(client, "only", many.slice(0, 128)));
  await a.make(fetching(served, "except", ["web_search", "web_fetch"], []));
  const path = (field: string, rest: string) => at(`url_sources\\.${field}`, rest);
  await a.refuses([
    [fetching(client, "only", []), path(client, "\\.tools: must not be empty")],
    [fetching(client, "except", many), path(client, "\\.tools: .*128 items")],
    [
      fetching(client, "only", ["t0", "T0"], ["t0"]),
      path(client, '\\.tools\\.1\\.name: "T0" must be the name of a custom tool'),
    ],
    [fetching(client, "only", ["web_search"], []), path(client, "\\.tools\\.0\\.name: ")],
    [
      fetching(client, "only", ["t0", "t0"], ["t0"]),
      path(client, '\\.tools\\.1\\.name: "t0" stands there twice'),
    ],
    [
      fetching(served, "only", ["bash"], []),
      path(served, '\\.tools\\.0\\.name: "bash" must be the name of web_search or web_fetch'),
    ],
  ]);
});
