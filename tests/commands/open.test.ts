// `plinth open`: one thing and its page, several as a table, with each kind of key and signed in.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open } from "../../cli/open/open.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { furnish, furnishOrganization, makerOf, type Page } from "../rules/search-house.ts";
import { runInProcess } from "./in-process.ts";
import { openScreen } from "./screen.ts";

let house: House;
let platform: Tenant;
let things: Record<string, string>;
let both: Record<string, string>;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
  both = {
    PLINTH_ADMIN_KEY: platform.admin_api_key,
    PLINTH_API_KEY: platform.api_key,
    PLINTH_BASE_URL: house.url,
  };
  things = {
    ...(await furnish(house, platform, "quarzit")),
    ...(await furnishOrganization(house, platform, "quarzit")),
  };
});
after(() => house[Symbol.asyncDispose]());

const run = (args: string[], env = both) => runInProcess(["open", ...args], env);
const idOf = (type: string) => things[type] ?? assert.fail(`there is no ${type}`);

test("an id: what it is, where it stands, and in a pipe no browser", async () => {
  const { code, stdout, stderr } = await run([idOf("session")]);
  assert.deepEqual([code, stderr], [0, ""]);
  const lines = stdout.trimEnd().split("\n");
  assert.deepEqual(lines.slice(0, 4), [
    "type       session",
    "name       quarzit session",
    "detail     idle",
    `id         ${idOf("session")}`,
  ]);
  assert.match(lines[4] ?? "", /^workspace  wrkspc_/);
  assert.match(
    lines[5] ?? "",
    new RegExp(`^page       ${house.url}/console/sessions/${idOf("session")}\\?workspace=wrkspc_`),
  );
});

test("several are a table, best first; words need no quotes", async () => {
  const { code, stdout, stderr } = await run(["QUARZ"]);
  assert.equal(code, 0);
  const [titles, ...rows] = stdout.trimEnd().split("\n");
  assert.match(titles ?? "", /^TYPE +NAME +ID +WORKSPACE$/);
  for (const type of ["session", "agent", "file", "api_key", "workspace", "memory_store"]) {
    const row = rows.find((line) => line.includes(idOf(type)));
    assert.match(row ?? "", new RegExp(`^${type.replaceAll("_", " ")}  `), type);
  }
  assert.equal(stderr, "Open one of them with plinth open and its id.\n");
  const one = await run(["quarzit", "dep"]);
  assert.match(one.stdout, /^type +deployment$/m);
  const few = await run(["quarzit", "--limit", "1"], { ...both, PLINTH_ADMIN_KEY: "" });
  assert.match(few.stdout, /^type /);
});

test("--print is the address alone, --json the page as the API gives it", async () => {
  const { stdout } = await run(["--print", idOf("agent")]);
  assert.match(
    stdout,
    new RegExp(`^${house.url}/console/agents/${idOf("agent")}\\?workspace=\\S+\n$`),
  );
  const { stdout: all } = await run(["--print", "quarzit"]);
  assert.ok(all.split("\n").length > 8);
  const { code, stdout: json } = await run(["--json", "quarzit", "store"]);
  const page = JSON.parse(json) as Page;
  assert.deepEqual([code, page.next_page], [0, null]);
  assert.deepEqual(
    page.data.map(({ type, id }) => [type, id]),
    [["memory_store", idOf("memory_store")]],
  );
});

test("each key finds what it may: the admin key the organization, the API key its workspace", async () => {
  const ids = async (env: Record<string, string>) => {
    const { stdout } = await run(["--json", "--limit", "100", "quarzit"], env);
    return (JSON.parse(stdout) as Page).data.map(({ type }) => type);
  };
  const { PLINTH_API_KEY = "", PLINTH_ADMIN_KEY = "", ...base } = both;
  const ofWorkspace = await ids({ ...base, PLINTH_API_KEY });
  assert.ok(ofWorkspace.includes("agent") && !ofWorkspace.includes("api_key"));
  const ofOrganization = await ids({ ...base, PLINTH_ADMIN_KEY });
  assert.ok(ofOrganization.includes("api_key") && !ofOrganization.includes("agent"));
  assert.deepEqual(await ids(both), [...ofOrganization, ...ofWorkspace]);
});

test("nothing is said in words, with exit code 1; without a key it says what to do", async () => {
  const { code, stdout, stderr } = await run(["nothing", "like it"]);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /Nothing is found by "nothing like it"\./);
  const json = await run(["--json", "sesn_01m7000000000000000000000x"]);
  assert.deepEqual([json.code, JSON.parse(json.stdout)], [1, { data: [], next_page: null }]);
  const none = await run(["x"], { PLINTH_BASE_URL: house.url, PLINTH_CONFIG_DIR: "/nonexistent" });
  assert.equal(none.code, 3);
  assert.equal((await run([])).code, 2);
});

test("at a terminal the browser opens, once, and where there is none the address is enough", async () => {
  const opened: string[] = [];
  const openBrowser = async (address: string) => opened.push(address) > 0;
  const withBrowser = openScreen(both, { openBrowser });
  await open(withBrowser.terminal, idOf("file"), { limit: 20 });
  assert.deepEqual(opened, [
    /^page +(\S+)$/m.exec(withBrowser.text())?.[1] ?? assert.fail("no address"),
  ]);
  await open(withBrowser.terminal, idOf("file"), { limit: 20, print: true });
  await open(withBrowser.terminal, "quarzit", { limit: 20 });
  assert.equal(opened.length, 1);
  const without = openScreen(both);
  await open(without.terminal, idOf("file"), { limit: 20 });
  assert.match(without.text(), /There is no browser to open it in here/);
});

test("names that hold signs of control are shown as signs", async () => {
  await makerOf(house, platform)("/v1/sessions", {
    agent: idOf("agent"),
    environment_id: idOf("environment"),
    title: "bell\u0007 book",
  });
  const { stdout } = await run(["bell"]);
  assert.match(stdout, /^name +bell\u2407 book$/m);
});
