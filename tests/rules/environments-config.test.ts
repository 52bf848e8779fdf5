// Rules ENV4 and ENV5, over HTTP: what a config may hold, and what an update makes of it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "../../server/environments/limits.ts";
import { openHouse, type House } from "../house.ts";
import { environmentsOf } from "./environments-house.ts";
import { errorOf } from "./memory-house.ts";
import { sentenceOf } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const env = environmentsOf(() => house);

const create = (body: unknown) => env.call("POST", "", { body });
const change = (id: string, body: unknown) => env.call("POST", `/${id}`, { body });
const cloud = (more: object) => ({ name: "tools", config: { type: "cloud", ...more } });
const limited = (more: object = {}) => ({ networking: { type: "limited", ...more } });
const noPackages = { type: "packages", apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] };

test("[ENV4] networking and packages of a cloud config", async () => {
  const hosts = ["API.Example.com", "api.example.com", "*.example.org", "192.0.2.1", "localhost"];
  const networking = { type: "limited", allowed_hosts: hosts, allow_package_managers: true };
  const packages = { pip: ["requests==2.0 ", "uvicorn[standard]"], npm: ["@scope/a@^1"], apt: [] };
  const { config } = await env.make({ config: { type: "cloud", networking, packages } });
  assert.deepEqual(config, {
    type: "cloud",
    networking: {
      type: "limited",
      allowed_hosts: ["api.example.com", "*.example.org", "192.0.2.1", "localhost"],
      allow_mcp_servers: false,
      allow_package_managers: true,
    },
    packages: { ...noPackages, pip: ["requests==2.0", "uvicorn[standard]"], npm: ["@scope/a@^1"] },
  });
  const many = Array.from({ length: limits.allowedHostsMax }, (_, at) => `h${at}.example`);
  const long = `${"a".repeat(63)}.`.repeat(3) + "a".repeat(61);
  assert.equal(long.length, limits.hostCharactersMax);
  for (const allowed_hosts of [many, [long], ["xn--bcher-kva.example", "a_b.example"]])
    assert.equal((await create(cloud(limited({ allowed_hosts })))).status, 200);
  const pip = Array.from({ length: limits.packagesMax }, (_, at) => `p${at}`);
  const most = ["p".repeat(limits.packageCharactersMax), ...pip.slice(1)];
  assert.equal((await create(cloud({ packages: { pip: most } }))).status, 200);
});

test("[ENV4] hosts and packages that are none are refused by their place", async () => {
  const hosts = [
    "",
    "https://example.com",
    "example.com/path",
    "example.com:443",
    "user@example.com",
    "*",
    "*.com",
    "a.*.example.com",
    "**.example.com",
    "example..com",
    ".example.com",
    "example.com.",
    "-a.example",
    "a-.example",
    "bücher.example",
    "::1",
    "[::1]",
    "256.1.1.1",
    "1.2.3",
    "0x7f.1",
    "127.0.0.0x1",
    "*.192.0.2.1",
    "10.0.0.0/8",
    "a b.example",
    `${"a".repeat(64)}.example`,
    `${"a".repeat(63)}.`.repeat(3) + "a".repeat(62),
  ];
  for (const host of hosts) {
    const answer = await create(cloud(limited({ allowed_hosts: ["a.example", host] })));
    const sentence = sentenceOf(answer, 400);
    assert.match(sentence, /^config\.networking\.allowed_hosts\.1: must be a host/, host);
  }
  for (const name of ["", " ", "-r /etc/passwd", "--index-url=x", "a\nb", "p".repeat(257)]) {
    const sentence = sentenceOf(await create(cloud({ packages: { pip: ["a", name] } })), 400);
    assert.match(sentence, /^config\.packages\.pip\.1: must be a package/, name);
  }
  const hostsOver = Array.from({ length: 101 }, (_, at) => `h${at}.example`);
  const tooMany = await create(cloud(limited({ allowed_hosts: hostsOver })));
  assert.match(sentenceOf(tooMany, 400), /^config\.networking\.allowed_hosts: .*100/);
  const packagesOver = await create(cloud({ packages: { go: Array(101).fill("a") } }));
  assert.match(sentenceOf(packagesOver, 400), /^config\.packages\.go: .*100/);
  const unknown = await create(cloud({ packages: { brew: [] } }));
  assert.match(sentenceOf(unknown, 400), /^config\.packages\.brew: /);
});

test("[ENV4] packages under limited networking want allow_package_managers", async () => {
  const wanted = /^config\.networking\.allow_package_managers: must be true .*packages\.gem/;
  const gem = { packages: { gem: ["rails"] } };
  assert.match(sentenceOf(await create(cloud({ ...limited(), ...gem })), 400), wanted);
  const { id } = await env.make({ config: { type: "cloud", ...gem } });
  const closing = { config: { type: "cloud", ...limited() } };
  assert.match(sentenceOf(await change(id, closing), 400), wanted);
  const allowed = limited({ allow_package_managers: true });
  await env.update(id, { config: { type: "cloud", ...allowed } });
  const taken = { config: { type: "cloud", ...limited({ allow_package_managers: false }) } };
  assert.match(sentenceOf(await change(id, taken), 400), wanted);
  const emptied = { ...taken.config, packages: { gem: [] } };
  assert.equal((await change(id, { config: emptied })).status, 200);
});

test("[ENV5] the type stays, and so does what a config does not name", async () => {
  const networking = { type: "limited", allowed_hosts: ["a.example"], allow_mcp_servers: true };
  const { id, config } = await env.make({ config: { type: "cloud", networking } });
  const typed = await change(id, { config: { type: "self_hosted" } });
  const { message } = errorOf(typed, 400, "invalid_config_type_change");
  assert.match(message, /^config\.type: is cloud, and stays so/);
  const hosted = await env.makeHosted();
  errorOf(
    await change(hosted.id, { config: { type: "cloud" } }),
    400,
    "invalid_config_type_change",
  );
  assert.deepEqual(await env.update(hosted.id, { config: { type: "self_hosted" } }), hosted);
  for (const same of [
    { type: "cloud" },
    { type: "cloud", networking: null, packages: null },
    {
      type: "cloud",
      networking: { type: "limited", allowed_hosts: null },
      packages: { pip: null },
    },
  ])
    assert.deepEqual((await env.update(id, { config: same })).config, config);
  const more = { networking: { type: "limited", allow_package_managers: true } };
  const packages = { npm: ["a"], pip: ["b"] };
  await env.update(id, { config: { type: "cloud", ...more, packages } });
  const last = await env.update(id, { config: { type: "cloud", packages: { npm: [] } } });
  assert.deepEqual(last.config, {
    type: "cloud",
    networking: { ...networking, allow_package_managers: true },
    packages: { ...noPackages, pip: ["b"] },
  });
  const open = { type: "cloud", networking: { type: "unrestricted" } };
  await env.update(id, { config: open });
  const again = await env.update(id, {
    config: { type: "cloud", ...limited(), packages: { pip: [] } },
  });
  assert.deepEqual(again.config.type === "cloud" && again.config.networking, {
    type: "limited",
    allowed_hosts: [],
    allow_mcp_servers: false,
    allow_package_managers: false,
  });
});
