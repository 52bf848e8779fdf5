// Rules SES100 to SES103, SES106: packages of environments in real sandboxes, from registries on this machine.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test, type TestContext } from "node:test";
import { sandboxesPart } from "../../server/sessions/sandbox/sandboxes.ts";
import { openRegistries, type Registries } from "./packages-house.ts";
import { computer, ofType, openSessionHouse, said, type SessionHouse } from "./sessions-house.ts";
import { resultsOf, shell } from "./sessions-sandboxes-house.ts";

let registries: Registries;
let it: SessionHouse;
let fault: string | undefined;
before(async () => {
  registries = await openRegistries();
  it = await openSessionHouse({ sections: registries.sections() });
  fault = await sandboxesPart.of(it.house.world).fault();
});
after(async () => {
  await it[Symbol.asyncDispose]();
  await registries[Symbol.asyncDispose]();
});

const lacks = (...programs: readonly string[]) => {
  const missing = programs.find((program) => !existsSync(`/usr/bin/${program}`));
  return missing !== undefined && `${missing} is not in /usr/bin`;
};

async function begin(t: TestContext, packages: object, networking?: object) {
  if (fault !== undefined) {
    t.skip(fault);
    return undefined;
  }
  const { id: environment_id } = await it.askGood<{ id: string }>("POST", "/v1/environments", {
    body: { name: "tools", config: { type: "cloud", packages, networking } },
  });
  const { id: agent } = await it.agent({ tools: [computer()] });
  return (await it.begin({ agent, environment_id })).id;
}
const run = async (id: string, ...lines: readonly string[]) =>
  resultsOf(await it.turn(id, said(shell(...lines))));
const npmOnly = { npm: ["of-the-registry@1.0.0"] };

test(
  "[SES100] [SES101] what an environment names is found by the programs of two sessions, and installed once",
  { skip: lacks("npm", "node") },
  async (t) => {
    const [one, other] = [await begin(t, npmOnly), await begin(t, npmOnly)];
    if (one === undefined || other === undefined) return;
    registries.asked.length = 0;
    const script = [
      `node -p 'require("of-the-registry")'`,
      `echo 'import found from "of-the-registry"; console.log(found)' >of.mjs && node of.mjs`,
      "run-of-the-registry",
    ].join("; ");
    const both = await Promise.all([run(one, script), run(other, script)]);
    for (const said of both) assert.deepEqual(said, ["node found it\nnode found it\nnode ran it"]);
    const tarballs = registries.asked.filter((path) => path.endsWith(".tgz"));
    assert.deepEqual(tarballs, ["/npm/of-the-registry.tgz"]);
    const tries = "cd /mnt/packages && touch new || rm -r npm 2>/dev/null || echo kept";
    assert.match((await run(one, tries))[0] ?? "", /Read-only file system\nkept/);
    assert.deepEqual(await run(other, "run-of-the-registry"), ["node ran it"]);
  },
);

test(
  "[SES100] Python finds what pip installs, and programs are on the PATH",
  { skip: lacks("python3", "pip3") },
  async (t) => {
    const id = await begin(t, { pip: ["of-the-registry==1.0.0"] });
    if (id === undefined) return;
    const script = "/usr/bin/python3 -c 'import of_the_registry as o; o.main()'; run-of-pip";
    assert.deepEqual(await run(id, script), ["python ran it\npython ran it"]);
  },
);

test(
  "[SES100] apt brings the files of packages, and asks for none that the system has",
  { skip: lacks("apt-get", "dpkg-deb") },
  async (t) => {
    const id = await begin(t, { apt: ["of-the-registry=1.0.0", "bash"] });
    if (id === undefined) return;
    assert.deepEqual(await run(id, "run-of-apt"), ["apt brought it"]);
  },
);

test(
  "[SES103] a package that fails ends the turn with the last words of its manager; a message tries again",
  { skip: lacks("npm") },
  async (t) => {
    const id = await begin(t, { npm: ["broken"] });
    if (id === undefined) return;
    registries.asked.length = 0;
    const events = await it.turn(id, said(shell("echo one", "echo two")));
    const words =
      /could not be installed\. npm could not install the packages \(exit status \d+\)\. It said last:\n[^]*its own last words/;
    const results = resultsOf(events);
    assert.equal(results.length, 2);
    for (const result of results) assert.match(result, words);
    const [error, ...more] = ofType(events, "session.error");
    assert.equal(more.length, 0);
    assert.equal(error?.["error"].type, "unknown_error");
    assert.match(error?.["error"].message, words);
    assert.deepEqual(error?.["error"].retry_status, { type: "exhausted" });
    assert.equal(events.at(-1)?.["stop_reason"].type, "retries_exhausted");
    assert.equal(registries.asked.filter((path) => path.endsWith("broken.tgz")).length, 1);
    await it.turn(id, said(shell("echo one")));
    assert.equal(registries.asked.filter((path) => path.endsWith("broken.tgz")).length, 2);
  },
);

test(
  "[SES103] a package manager that is not there is named, with what mends it",
  { skip: existsSync("/usr/bin/gem") && "gem is there" },
  async (t) => {
    const id = await begin(t, { gem: ["rake"] });
    if (id === undefined) return;
    const [result] = await run(id, "true");
    assert.match(
      result ?? "",
      /gem is not in the root file system of sandboxes\. .*sandbox\.rootfs/,
    );
  },
);

test(
  "[SES106] packages come by the network that the environment allows, mirrors among it",
  { skip: lacks("npm") },
  async (t) => {
    const limited = (allow_package_managers: boolean, allowed_hosts: string[] = []) => ({
      type: "limited",
      allowed_hosts,
      allow_package_managers,
    });
    const body = (networking: object) => ({
      name: "tools",
      config: { type: "cloud", packages: npmOnly, networking },
    });
    const refused = await it.ask("POST", "/v1/environments", { body: body(limited(false)) });
    assert.equal(refused.status, 400);
    // Another list than above, so that it is installed anew.
    const id = await begin(t, { npm: ["of-the-registry@1"] }, limited(true));
    if (id === undefined) return;
    assert.deepEqual(await run(id, "run-of-the-registry"), ["node ran it"]);
  },
);
