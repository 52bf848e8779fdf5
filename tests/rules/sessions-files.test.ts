// Rules SES90 to SES94: what people are shown of the files that a session has in its sandbox. Where none can be made,
// what needs one is passed by.
import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { sandboxesPart } from "../../server/sessions/module.ts";
import { errorOf, queryOf } from "./memory-house.ts";
import {
  computer,
  interrupt,
  ofType,
  openSessionHouse,
  said,
  type SessionHouse,
} from "./sessions-house.ts";
import { sentenceOf, until } from "./support.ts";

let it: SessionHouse;
/** Of the workspace, with what its agent was told to do. */
let shared: { id: string; run: (command: string) => Promise<string> } | undefined;
let fault: string | undefined;
before(async () => {
  it = await openSessionHouse({ sections: { sandbox: { memory_mib: 512 } } });
  fault = await sandboxesPart.of(it.house.world).fault();
  if (fault === undefined) shared = await cloudSession();
});
after(() => it[Symbol.asyncDispose]());

const withSandbox = (
  name: string,
  act: (session: NonNullable<typeof shared>, t: TestContext) => Promise<void>,
) =>
  void test(name, async (t) => {
    if (shared === undefined) return t.skip(fault);
    await act(shared, t);
  });

const call = (command: string) => said(`[[tool bash ${JSON.stringify({ command })}]]`);
async function cloudSession() {
  const { id: agent } = await it.agent({ tools: [computer()] });
  const { id: environment_id } = await it.environment("cloud");
  const { id } = await it.begin({ agent, environment_id });
  const run = async (command: string): Promise<string> => {
    const [result] = ofType(await it.turn(id, call(command)), "agent.tool_result");
    assert.notEqual(result?.["is_error"], true, JSON.stringify(result));
    return ((result?.["content"] ?? []) as { text: string }[]).map((each) => each.text).join("");
  };
  return { id, run };
}

const own = () => ({ cookie: it.platform.cookie });
const pathOf = (id: string, path?: string, below = "") =>
  `/console/api/sessions/${id}/files${below}${path === undefined ? "" : queryOf({ path })}`;
const tryList = (id: string, path?: string, who = own()) =>
  it.house.ask("GET", pathOf(id, path), who);
const tryRead = (id: string, path: string, who = own()) =>
  it.house.ask("GET", pathOf(id, path, "/content"), who);

interface Entry {
  name: string;
  type: string;
  target?: string;
  size_bytes: number;
  modified_at: string;
}
interface Directory {
  path: string;
  entries: Entry[];
  is_truncated: boolean;
}
async function list(id: string, path?: string): Promise<Directory> {
  const { status, body } = await tryList(id, path);
  assert.equal(status, 200, JSON.stringify(body));
  return body as Directory;
}
async function read(id: string, path: string): Promise<{ bytes: Buffer; headers: Headers }> {
  const url = it.house.url + pathOf(id, path, "/content");
  const response = await fetch(url, { headers: own() });
  assert.equal(response.status, 200, path);
  return { bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers };
}
const namesOf = ({ entries }: Directory) => entries.map(({ name }) => name);

withSandbox("[SES90] a directory is listed by name, hidden files among it", async (session) => {
  const { id, run } = session;
  await run(`mkdir -p list/below && cd list && printf hello > b.txt && touch .hidden 'two
lines' ' spaces  ' && touch -d 2026-02-03T04:05:06Z b.txt && mkfifo pipe && cd /workspace`);
  const { path, entries, is_truncated } = await list(id, "/workspace/list/");
  assert.equal(path, "/workspace/list");
  assert.equal(is_truncated, false);
  assert.deepEqual(
    entries.map(({ name, type }) => [name, type]),
    [
      [" spaces  ", "file"],
      [".hidden", "file"],
      ["b.txt", "file"],
      ["below", "directory"],
      ["pipe", "other"],
      ["two\nlines", "file"],
    ],
  );
  assert.deepEqual(entries[2], {
    name: "b.txt",
    type: "file",
    size_bytes: 5,
    modified_at: "2026-02-03T04:05:06.000Z",
  });
  assert.deepEqual(await list(id, "/workspace/below/../list"), await list(id, "/workspace/list"));
  assert.ok(namesOf(await list(id)).includes("list"));
  assert.deepEqual(namesOf(await list(id, "/workspace/list/below")), []);
});

withSandbox("[SES90] a link says what it leads to, and is gone through", async ({ id, run }) => {
  await run(`mkdir -p links/real && cd links && touch real/inside && printf text > file &&
ln -s real to_directory && ln -s file to_file && ln -s /dev/null to_other && ln -s nowhere broken &&
ln -s loop loop && cd /workspace`);
  const { entries } = await list(id, "/workspace/links");
  const targets = entries.flatMap(({ name, target }) => (target ? [[name, target]] : []));
  assert.deepEqual(targets, [
    ["broken", "missing"],
    ["loop", "missing"],
    ["to_directory", "directory"],
    ["to_file", "file"],
    ["to_other", "other"],
  ]);
  assert.deepEqual(namesOf(await list(id, "/workspace/links/to_directory")), ["inside"]);
  assert.equal((await read(id, "/workspace/links/to_file")).bytes.toString(), "text");
  sentenceOf(await tryList(id, "/workspace/links/broken"), 404);
});

withSandbox("[SES90] a time that no calendar of the wire has is the nearest", async (session) => {
  const { id, run } = session;
  await run(
    "mkdir /tmp/times && touch -d @99999999999999 /tmp/times/late && touch -d @-9 /tmp/times/soon",
  );
  const times = (await list(id, "/tmp/times")).entries.map((each) => each.modified_at);
  assert.deepEqual(times, ["9999-12-31T23:59:59.000Z", "1970-01-01T00:00:00.000Z"]);
});

withSandbox("[SES90] a thousand entries are shown, and of one more it is said", async (session) => {
  const { id, run } = session;
  await run("mkdir many && cd many && touch $(seq -w 1 1000) && cd /workspace");
  const whole = await list(id, "/workspace/many");
  assert.deepEqual([whole.entries.length, whole.is_truncated], [1_000, false]);
  await run("touch many/1001");
  const cut = await list(id, "/workspace/many");
  assert.deepEqual([cut.entries.length, cut.is_truncated], [1_000, true]);
});

withSandbox(
  "[SES91] a file is downloaded byte for byte, and no browser opens it",
  async (session) => {
    const { id, run } = session;
    await run(`printf 'a\\000b\\377\\r\\n\\000' > 'né "1".html' && touch empty`);
    const { bytes, headers } = await read(id, '/workspace/né "1".html');
    assert.deepEqual([...bytes], [97, 0, 98, 255, 13, 10, 0]);
    assert.equal(headers.get("content-type"), "application/octet-stream");
    assert.equal(
      headers.get("content-disposition"),
      `attachment; filename="n___1_.html"; filename*=UTF-8''n%C3%A9%20%221%22.html`,
    );
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", /sandbox/);
    assert.equal((await read(id, "/workspace/empty")).bytes.length, 0);
  },
);

withSandbox("[SES91] a file of 32 MiB is handed out, and one byte more is not", async (session) => {
  const { id, run } = session;
  const most = 32 * 1024 * 1024;
  await run(`truncate -s ${most} large && truncate -s ${most + 1} larger`);
  assert.equal((await read(id, "/workspace/large")).bytes.length, most);
  assert.match(sentenceOf(await tryRead(id, "/workspace/larger"), 400), /has more than 33554432/);
});

withSandbox(
  "[SES92] what is not there, of another kind, or closed is told by its path",
  async (session) => {
    const { id, run } = session;
    await run(
      "mkdir -p kinds/closed && cd kinds && echo a > file && echo a > secret && chmod 0 closed secret && mkfifo pipe && cd /workspace",
    );
    const at = (name: string) => `/workspace/kinds/${name}`;
    for (const missing of [at("none"), at("file/below")]) {
      assert.match(errorOf(await tryList(id, missing), 404).message, /kinds/);
      errorOf(await tryRead(id, missing), 404);
    }
    for (const answer of [await tryList(id, at("file")), await tryRead(id, at("pipe"))])
      assert.match(sentenceOf(answer, 400), /^path: "\/workspace\/kinds\/.*of another kind/);
    for (const answer of [await tryList(id, at("closed")), await tryRead(id, at("secret"))])
      assert.match(sentenceOf(answer, 400), /^path: .*may not be read by the agent/);
    for (const ask of [tryList, tryRead]) {
      assert.match(sentenceOf(await ask(id, "workspace"), 400), /^path: must begin with \//);
      sentenceOf(await ask(id, "/a\0b"), 400);
    }
    // What stands in a path is no option and no command.
    for (const odd of ["/-delete", "/workspace/$(touch ran)", "/workspace/;touch ran"])
      errorOf(await tryList(id, odd), 404);
    assert.ok(!namesOf(await list(id)).includes("ran"));
  },
);

withSandbox(
  "[SES92] nothing of the server's machine is seen, only of the sandbox",
  async (session) => {
    const { id, run } = session;
    await run("ln -s /proc/1/environ environ; ln -s /etc/shadow shadow");
    const variables = await read(id, "/workspace/environ").then(
      ({ bytes }) => bytes.toString(),
      () => "",
    );
    assert.ok(!/HOME=\/root|NODE_(?!USE_ENV_PROXY)|PLINTH|npm_/.test(variables), variables);
    errorOf(await tryRead(id, "/etc/shadow"), 404);
    errorOf(await tryRead(id, "/workspace/shadow"), 404);
    errorOf(await tryList(id, it.house.world.dataDirectory), 404);
    const inside = await run("ls -A /");
    assert.deepEqual(namesOf(await list(id, "/")).toSorted(), inside.split("\n").toSorted());
  },
);

withSandbox(
  "[SES93] to look waits five seconds for a call that runs, and leaves it alone",
  async () => {
    const { id, run } = await cloudSession();
    await run("touch file");
    await it.send(id, call("touch begun; sleep 1000"));
    // Before the call has begun, a look is not late.
    await until(async () => (await tryList(id)).status === 409, "a call that runs");
    const begunMs = performance.now();
    const answers = await Promise.all([tryList(id), tryRead(id, "/workspace/file")]);
    for (const answer of answers)
      assert.match(errorOf(answer, 409, "sandbox_busy").message, /A call runs in the sandbox/);
    assert.ok(performance.now() - begunMs >= 5_000);
    assert.equal(ofType(await it.events(id), "agent.tool_result").length, 1, "the call has ended");
    await it.send(id, interrupt);
    await it.idle(id);
    assert.deepEqual(namesOf(await list(id)), ["begun", "file"]);
  },
);

test("[SES94] to look makes no workspace where nothing has run", async () => {
  const { id: agent } = await it.agent();
  const { id: environment_id } = await it.environment("cloud");
  const { id } = await it.begin({ agent, environment_id });
  assert.deepEqual(await list(id), { path: "/workspace", entries: [], is_truncated: false });
  errorOf(await tryRead(id, "/workspace/file"), 404);
  const rows = await it.house.world.db.query(
    sql`select 1 as there from session_sandboxes where session_id = ${id}`,
  );
  assert.deepEqual(rows, []);
});

test("[SES94] the files of self-hosted sessions are not here, and those of others do not exist", async () => {
  const { id: agent } = await it.agent();
  const { id: hosted } = await it.begin({ agent, environment_id: (await it.environment()).id });
  const { id } = await it.begin({ agent, environment_id: (await it.environment("cloud")).id });
  for (const ask of [tryList, tryRead]) {
    assert.match(
      sentenceOf(await ask(hosted, "/workspace"), 400),
      /on the machines of its workers/,
    );
    errorOf(await ask(id, "/workspace", { cookie: it.other.cookie }), 404);
    errorOf(await ask("sess_none", "/workspace"), 404);
  }
});

test("[SES95] what is said of sandboxes here is what the provider says", async () => {
  const { status, body } = await it.house.ask("GET", "/console/api/sandboxes", own());
  assert.equal(status, 200);
  const summary = await sandboxesPart.of(it.house.world).summary();
  const { provider, can_be_made, reason, mend, guarantees, limits } = body;
  const { memory_mib, cpus } = limits;
  assert.deepEqual({ memory_mib, cpus }, { memory_mib: 512, cpus: 1 });
  assert.deepEqual(
    { provider, can_be_made, reason, mend },
    {
      provider: summary.provider,
      can_be_made: summary.ok,
      reason: summary.reason,
      mend: summary.mend,
    },
  );
  const named = (guarantees as { name: string }[]).map(({ name, ...rest }) => [name, rest]);
  assert.deepEqual(Object.fromEntries(named), summary.guarantees);
});
