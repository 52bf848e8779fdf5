// What the network door of a sandbox refuses, and how it says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentConfig } from "../../server/environments/module.ts";
import {
  judge,
  type NetworkPolicy,
  packageHosts,
  policyOf,
} from "../../server/sandboxes/door/policy.ts";
import { openDoorHouse, statusOf, talk, web } from "./door-house.ts";

const end = "\r\n\r\n";
const limited = (...hosts: string[]): NetworkPolicy => ({
  type: "limited",
  hosts: hosts.map((host) => ({ host })),
});
const tunnelTo = (authority: string) => `CONNECT ${authority} HTTP/1.1${end}`;
const getFrom = (authority: string) =>
  `GET http://${authority}/ HTTP/1.1\r\nconnection: close${end}`;

const cloud = (networking: object): EnvironmentConfig => ({
  type: "cloud",
  networking: networking as never,
  packages: { type: "packages", apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] },
});
const limitedConfig = (more: object) =>
  cloud({
    type: "limited",
    allowed_hosts: [],
    allow_mcp_servers: false,
    allow_package_managers: false,
    ...more,
  });
const servers = [
  { url: "https://mcp.example.com/sse" },
  { url: "http://tools.example.com:8080/mcp" },
];

const may = (policy: NetworkPolicy, authority: string) => {
  const [host = "", port] = authority.split(":");
  const verdict = judge(policy, { host, port: Number(port ?? 443) });
  return verdict.isAllowed ? true : verdict.reason;
};

test("[SBX24] hosts are allowed by their names, those below a name by a star", () => {
  const policy = policyOf(
    limitedConfig({ allowed_hosts: ["api.example.com", "*.example.org"] }),
    [],
  );
  for (const allowed of [
    "api.example.com",
    "api.example.com:8443",
    "a.example.org",
    "a.b.example.org",
  ])
    assert.equal(may(policy, allowed), true, allowed);
  for (const other of [
    "example.com",
    "a.api.example.com",
    "example.org",
    "badexample.org",
    "api.example.com.evil.net",
    "xapi.example.com",
  ])
    assert.equal(may(policy, other), "host", other);
  assert.equal(may(policyOf(cloud({ type: "unrestricted" }), []), "any.example:22"), true);
  assert.equal(may(policyOf(limitedConfig({}), servers), "mcp.example.com"), "host");
  assert.equal(may(policyOf({ type: "self_hosted" }, servers), "mcp.example.com"), "host");
});

test("[SBX25] registries of package managers are allowed at the ports of the web, by a list", () => {
  const without = policyOf(limitedConfig({}), []);
  const policy = policyOf(limitedConfig({ allow_package_managers: true }), []);
  assert.deepEqual(Object.keys(packageHosts), ["apt", "cargo", "gem", "go", "npm", "pip"]);
  for (const host of Object.values(packageHosts).flat()) {
    assert.equal(may(without, host), "host", host);
    assert.deepEqual([may(policy, host), may(policy, `${host}:80`)], [true, true], host);
    assert.equal(may(policy, `${host}:22`), "port", host);
  }
  assert.equal(may(policy, "github.com"), "host");
});

test("[SBX46] mirrors of the settings are allowed with package managers, at their ports", () => {
  const mirrors = [{ url: "https://npm.example.com/all/" }, { url: "http://10.0.0.8:3141/simple" }];
  const without = policyOf(limitedConfig({}), [], mirrors);
  const policy = policyOf(limitedConfig({ allow_package_managers: true }), [], mirrors);
  const asked = ["npm.example.com", "npm.example.com:80", "10.0.0.8:3141", "10.0.0.8"];
  assert.deepEqual(
    asked.map((authority) => may(policy, authority)),
    [true, "port", true, "port"],
  );
  for (const authority of asked) assert.equal(may(without, authority), "host", authority);
});

test("[SBX25] MCP servers of the agent are allowed at their ports, where the environment says so", () => {
  const policy = policyOf(limitedConfig({ allow_mcp_servers: true }), servers);
  assert.deepEqual(
    ["mcp.example.com", "mcp.example.com:80", "tools.example.com:8080", "tools.example.com"].map(
      (authority) => may(policy, authority),
    ),
    [true, "port", true, "port"],
  );
  const both = policyOf(
    limitedConfig({ allow_mcp_servers: true, allowed_hosts: ["*.example.com"] }),
    servers,
  );
  assert.equal(may(both, "mcp.example.com:80"), true, "a host that is allowed is so at any port");
});

test("[SBX24] [SBX30] a refusal names host, reason and what to change, and is noted", async () => {
  const policy: NetworkPolicy = {
    type: "limited",
    hosts: [{ host: "web.example", ports: [80, 443] }, { host: "inner.example" }],
  };
  await using house = await openDoorHouse({ policy, names: { "inner.example": [["10.0.0.7"]] } });
  for (const [authority, phrase, sentence] of [
    ["api.example:443", "Host not allowed by the environment", /api\.example:443 .*allowed_hosts/],
    ["web.example:22", "Port not allowed by the environment", /web\.example:22 .*port 80 and 443/],
    ["inner.example:80", "Address not allowed by the server", /10\.0\.0\.7.*allow_private_addr/],
    ["a_b%2e:80", "Host not understood", /a_b%2e/],
  ] as const)
    for (const words of [tunnelTo(authority), getFrom(authority)]) {
      const answer = await house.talk(words);
      assert.ok(answer.startsWith(`HTTP/1.1 403 ${phrase}\r\n`), answer);
      assert.match(answer.split(end)[1] ?? "", sentence);
    }
  assert.deepEqual(
    house.refused
      .filter((_refusal, at) => at % 2 === 0)
      .map(({ host, port, reason }) => [host, port, reason]),
    [
      ["api.example", 443, "host"],
      ["web.example", 22, "port"],
      ["inner.example", 80, "address"],
      ["a_b%2e:80", 0, "spelling"],
    ],
  );
  assert.equal(house.refused.length, 8);
  assert.deepEqual(
    house.lookedUp,
    ["inner.example", "inner.example"],
    "names that are refused are not looked up",
  );
});

test("[SBX24] what a request says of its host beside the target changes nothing", async () => {
  await using server = await web((request, response) => void response.end(request.headers.host));
  await using house = await openDoorHouse({
    policy: limited("open.example"),
    names: { "open.example": [["127.0.0.1"]], "shut.example": [["127.0.0.1"]] },
  });
  const ask = (host: string, forged: string) =>
    house.talk(
      `GET http://${host}:${server.port}/ HTTP/1.1\r\nhost: ${forged}\r\nconnection: close${end}`,
    );
  assert.match(
    await ask("open.example", "shut.example"),
    new RegExp(`open.example:${server.port}$`),
  );
  assert.equal(statusOf(await ask("shut.example", "open.example")), 403);
  const inner = `CONNECT shut.example:${server.port} HTTP/1.1\r\nhost: open.example:${server.port}${end}`;
  assert.equal(statusOf(await house.talk(inner)), 403);
});

const tricks = [
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "127.1",
  "127.0.0.01",
  "127.0.0.1.",
  "localhost.",
  "open.example.",
  "user@127.0.0.1",
  "open.example@127.0.0.1",
  "user:word@127.0.0.1",
  "127.0.0.1%00.open.example",
  "open.example%2e",
  "open.example\\@127.0.0.1",
  "open.example#127.0.0.1",
  "open..example",
  ".open.example",
  "-open.example",
  "[::1%25lo]",
  "[::1%lo]",
  "[127.0.0.1]",
  "::1",
  "[::1",
  "*",
  "*.example",
  "ｌocalhost",
  "\u2460.example",
];

test("[SBX23] a host that is written in no usual way is refused before it is looked up", async () => {
  await using house = await openDoorHouse({ names: { "open.example": [["127.0.0.1"]] } });
  for (const host of tricks) {
    for (const words of [tunnelTo(`${host}:80`), getFrom(`${host}:80`)]) {
      const status = statusOf(await talk(house.port, Buffer.from(words).toString("latin1")));
      assert.ok(status === 403 || status === 400, `${words}: ${status}`);
    }
  }
  for (const authority of [
    "open.example",
    "open.example:",
    "open.example:0",
    "open.example:080",
    "open.example:65536",
    "open.example:1e2",
    "open.example:80:80",
    "http://open.example:80",
    "",
  ])
    assert.ok([400, 403].includes(statusOf(await house.talk(tunnelTo(authority)))), authority);
  assert.deepEqual(house.lookedUp, []);
  assert.deepEqual(new Set(house.refused.map(({ reason }) => reason)), new Set(["spelling"]));
  assert.equal(
    statusOf(await house.talk(tunnelTo("OPEN.Example:1"))),
    502,
    "the control: nobody listens",
  );
  assert.deepEqual(house.lookedUp, ["open.example"]);
});

const inner = [
  "127.0.0.1",
  "127.8.8.8",
  "0.0.0.0",
  "10.1.2.3",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "169.254.169.254",
  "168.63.129.16",
  "224.0.0.1",
  "255.255.255.255",
  "::1",
  "::",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "fd00::1",
  "fe80::1",
  "ff02::1",
];

test("[SBX23] addresses that are not public are refused, by number and behind names, allowed or not", async () => {
  for (const policy of [
    undefined,
    limited(
      "name.example",
      ...inner.map((address) => (address.includes(":") ? `[${address}]` : address)),
    ),
  ])
    for (const address of inner) {
      await using house = await openDoorHouse({
        ...(policy !== undefined && { policy }),
        allowed: [],
        names: { "name.example": [[address]] },
      });
      const literal = address.includes(":") ? `[${address}]` : address;
      for (const words of [
        tunnelTo(`${literal}:80`),
        getFrom(literal),
        tunnelTo("name.example:80"),
        getFrom("name.example"),
      ])
        assert.match(await house.talk(words), /^HTTP\/1.1 403 Address not allowed/, words);
      assert.deepEqual(new Set(house.refused.map(({ reason }) => reason)), new Set(["address"]));
    }
});

test("[SBX23] a name is looked up once for each connection, and its good address is dialled", async () => {
  await using server = await web((_request, response) => void response.end("reached"));
  const names = { "turn.example": [["127.0.0.1"], ["169.254.169.254"], ["10.0.0.1", "127.0.0.1"]] };
  await using house = await openDoorHouse({ names });
  const ask = () => house.talk(getFrom(`turn.example:${server.port}`));
  assert.match(await ask(), /reached$/);
  assert.equal(house.lookedUp.length, 1, "what the second look would say is never asked");
  assert.equal(statusOf(await ask()), 403);
  assert.match(await ask(), /reached$/, "the one that is refused falls away");
  assert.equal(house.lookedUp.length, 3);
});

test("[SBX23] addresses of the server's own machine are refused, also public ones", async () => {
  const ownAddresses = () => ["8.8.4.4", "127.0.0.1"];
  await using server = await web((_request, response) => void response.end("reached"));
  await using house = await openDoorHouse({
    ownAddresses,
    names: { "self.example": [["8.8.4.4"]] },
  });
  for (const authority of ["8.8.4.4:1", "self.example:1"])
    assert.match(await house.talk(tunnelTo(authority)), /^HTTP\/1.1 403 [^]*of this server itself/);
  assert.match(
    await house.talk(getFrom(`127.0.0.1:${server.port}`)),
    /reached$/,
    "the operator may allow it",
  );
});

test("[SBX26] another policy holds from the next connection on", async () => {
  await using server = await web((_request, response) => void response.end("reached"));
  await using house = await openDoorHouse({ names: { "a.example": [["127.0.0.1"]] } });
  assert.match(await house.talk(getFrom(`a.example:${server.port}`)), /reached$/);
  house.state.policy = limited("b.example");
  assert.equal(statusOf(await house.talk(getFrom(`a.example:${server.port}`))), 403);
});
