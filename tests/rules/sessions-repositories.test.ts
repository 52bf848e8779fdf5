// Rules SES118 to SES121, SES140, SES142 to SES144: repositories, cloned by git in real sandboxes from a test's server.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { seededRandom } from "../../kernel/base/random.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { sandboxesPart } from "../../server/sessions/sandbox/sandboxes.ts";
import { resultsOf, shell } from "./sessions-sandboxes-house.ts";
import {
  computer,
  interrupt,
  ofType,
  openSessionHouse,
  said,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-house.ts";
import { sentenceOf, until } from "./support.ts";

const token = "ghp_the-token-that-stays-outside";
const basic = `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
const directory = mkdtempSync(join(tmpdir(), "plinth-repositories-"));
const environment = {
  PATH: process.env["PATH"],
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@b.c",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@b.c",
};
const git = (...words: string[]) =>
  execFileSync("git", words, { encoding: "utf8", env: environment }).trim();

/** A bare repository that is served as files; answers its first commit. */
function makeRepository(name: string, big: Buffer = Buffer.from("big")): string {
  const work = join(directory, `${name}-work`);
  git("init", "--quiet", "--initial-branch=main", work);
  const commit = (file: string, text: string | Buffer) => {
    writeFileSync(join(work, file), text);
    git("-C", work, "add", ".");
    git("-C", work, "commit", "--quiet", "-m", file);
    return git("-C", work, "rev-parse", "HEAD");
  };
  const first = commit("README", "first\n");
  commit("big", big);
  git("-C", work, "checkout", "--quiet", "-b", "next");
  commit("NEXT", "next\n");
  git("-C", work, "checkout", "--quiet", "main");
  const bare = join(directory, `owner/${name}.git`);
  git("clone", "--quiet", "--bare", work, bare);
  git("-C", bare, "update-server-info");
  return first;
}

/** Private but for what is called `open`; `hidden` may be read by none, and `moved` is elsewhere. */
function statusOf({ url = "", headers }: IncomingMessage): number {
  if (url.startsWith("/owner/hidden")) return 403;
  if (url.startsWith("/owner/moved")) return 302;
  if (/^\/owner\/(open|holes)/.test(url)) return 200;
  return headers.authorization === basic ? 200 : 401;
}
let requests: string[] = [];
const slow = Promise.withResolvers<void>();
const held = Promise.withResolvers<void>();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? "").replace(/\?.*$/, "");
  requests.push(path);
  if (path.startsWith("/owner/slow")) await slow.promise;
  if (path.startsWith("/owner/held")) await held.promise;
  const status = statusOf(request);
  const place = join(directory, path);
  const moved = { location: "/owner/open.git/info/refs" };
  if (status === 302) response.writeHead(302, moved).end();
  else if (status !== 200) response.writeHead(status, { "www-authenticate": "Basic" }).end();
  else if (!existsSync(place) || !statSync(place).isFile()) response.writeHead(404).end();
  else createReadStream(place).pipe(response);
}
const files = createServer((request, response) => void answer(request, response));

let it: SessionHouse;
let commit: string;
before(async () => {
  commit = makeRepository("private");
  makeRepository("open");
  makeRepository("slow");
  makeRepository("held");
  makeRepository("large", seededRandom(1).bytes(3 * 1024 * 1024));
  makeRepository("holes", Buffer.alloc(32 * 1024 * 1024));
  await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
  it = await openSessionHouse({
    sections: {
      network: { allow_private_addresses: ["127.0.0.1/32"] },
      sandbox: { repository_mib: 2, running_max: 2 },
    },
  });
});
after(async () => {
  await it?.[Symbol.asyncDispose]();
  files.close();
  rmSync(directory, { recursive: true, force: true });
});

const at = (name: string) =>
  `http://127.0.0.1:${(files.address() as AddressInfo).port}/owner/${name}.git`;
const repository = (name: string, more: object = {}) => ({
  type: "github_repository",
  url: at(name),
  authorization_token: token,
  ...more,
});
async function begin(...resources: object[]) {
  const agent = await it.agent({ tools: [computer()] });
  const environment = await it.environment("cloud");
  return it.begin({ agent: agent.id, environment_id: environment.id, resources });
}
const call = (id: string, ...lines: string[]): Promise<SessionEvent[]> =>
  it.turn(id, said(shell(...lines)));
const errorsIn = (events: readonly SessionEvent[]) =>
  ofType(events, "session.error").map(({ error }) => error as Record<string, unknown>);
/** All text of the first result. */
const tellingOf = (events: readonly SessionEvent[]): string => {
  const [first] = ofType(events, "agent.tool_result");
  const content = first?.["content"] as { text: string }[] | undefined;
  return (content ?? []).map(({ text }) => text).join("\n");
};

test("[SES118] a repository is there before the first call, at its branch, and the agent's to change", async () => {
  const { id } = await begin(
    repository("private", { checkout: { type: "branch", name: "next" } }),
    repository("open", {
      authorization_token: null,
      mount_path: "/workspace/deep/one",
      checkout: null,
    }),
    repository("private", {
      mount_path: "/workspace/old",
      checkout: { type: "commit", sha: commit },
    }),
  );
  const events = await call(
    id,
    "cd /workspace/private && cat README NEXT && git status --short --branch",
    "cd /workspace/deep/one && git branch --show-current && touch mine && git status --short",
    "cd /workspace/old && ls && git rev-parse HEAD && ls -A /workspace",
  );
  assert.deepEqual(resultsOf(events), [
    "first\nnext\n## next...origin/next",
    "main\n?? mine",
    `README\n${commit}\ndeep\nold\nprivate`,
  ]);
  assert.deepEqual(errorsIn(events), []);
});

test("[SES118] it is cloned once: a sandbox that begins again finds it as the agent left it", async () => {
  const { id } = await begin(repository("private"));
  await call(id, "echo changed >/workspace/private/README");
  requests = [];
  const provider = await sandboxesPart.of(it.house.world).provider();
  await provider.stop(id);
  const [found] = resultsOf(await call(id, "cat /workspace/private/README"));
  assert.equal(found, "changed");
  // One that was deleted is the agent's doing.
  await call(id, "rm -rf /workspace/private");
  assert.deepEqual(resultsOf(await call(id, "ls -A /workspace")), [""]);
  assert.deepEqual(requests, []);
  const kept = (await provider.list()).filter((name) => name.startsWith(id));
  assert.deepEqual(kept, [id], "nothing is left of where it was fetched");
});

test("[SES119] the token is nowhere in the sandbox, and nowhere in what is told of the session", async () => {
  const { id } = await begin(repository("private"));
  // Not as they are searched for: the line that searches would be found as well.
  const encoded = basic.replace(/^Basic (.{8})(.)/, "$1[$2]");
  const places = "/workspace /home /tmp /run /mnt /proc/[0-9]*/environ /proc/[0-9]*/cmdline";
  const search = `grep -rlaE 'the-tok[e]n|${encoded}' ${places} 2>/dev/null`;
  const lines = `${search}; env; cat /workspace/private/.git/config`;
  const [said_ = ""] = resultsOf(await call(id, lines));
  assert.match(said_, /url = http:\/\/127\.0\.0\.1:\d+\/owner\/private\.git/);
  assert.match(said_, /^SHELL=/, "nothing was found");
  assert.doesNotMatch(said_, /extraHeader|the-token/i);
  const wrong = await begin(repository("private", { authorization_token: `${token}-wrong` }));
  await call(wrong.id, "true");
  const rows = await it.house.world.db.query<{ text: string }>(sql`
    select data::text as text from log_events
    union all select shown::text || coalesce(secret, '') from session_resources
    union all select text from session_mount_notes`);
  for (const { text } of rows) assert.ok(!text.includes("the-token"), text);
});

test("[SES120] what cannot be cloned is told with the result and as an event, in git's words; another token mends it", async () => {
  const { id, resources } = await begin(repository("private", { authorization_token: "wrong" }));
  const events = await call(id, "echo ran");
  assert.match(
    tellingOf(events),
    /^ran\n\n?\[The repository http.* could not be cloned to \/workspace\/private: /,
  );
  const [error, ...more] = errorsIn(events);
  assert.deepEqual(more, []);
  assert.equal(error?.["type"], "repository_authentication_error");
  assert.equal(error["repository_url"], at("private"));
  assert.deepEqual(error["retry_status"], { type: "retrying" });
  assert.match(String(error["message"]), /authorization_token was not accepted/);
  assert.doesNotMatch(String(error["message"]), /askpass/);
  requests = [];
  assert.deepEqual(resultsOf(await call(id, "echo again")), ["again"], "told once");
  assert.deepEqual(requests, [], "and not asked for with each call");
  const [resource] = resources as unknown as { id: string }[];
  await it.good("POST", `/${id}/resources/${resource?.id}`, {
    body: { authorization_token: token },
  });
  assert.deepEqual(resultsOf(await call(id, "cat /workspace/private/README")), ["first"]);
});

test("[SES120] each fault has its own type", async () => {
  const none = { authorization_token: null };
  const faults: [object, string, RegExp][] = [
    [repository("absent"), "repository_not_found_error", /not found/],
    [repository("hidden"), "repository_forbidden_error", /403/],
    [
      repository("private", none),
      "repository_authentication_error",
      /without an authorization_token/,
    ],
    [repository("moved"), "repository_clone_error", /\S/],
    [repository("large"), "repository_clone_error", /MiB, and at most 2 are taken/],
    // Zeros that git writes as holes, which take no room until the archive has them.
    [repository("holes"), "repository_clone_error", /\d\d MiB, and at most 2 are taken/],
    [
      repository("open", { checkout: { type: "branch", name: "gone" } }),
      "repository_checkout_error",
      /gone/,
    ],
    [
      repository("open", { checkout: { type: "commit", sha: "0".repeat(40) } }),
      "repository_checkout_error",
      /\S/,
    ],
    [
      repository("open", { mount_path: "/tmp/elsewhere" }),
      "repository_clone_error",
      /below \/workspace/,
    ],
  ];
  for (const [resource, type, words] of faults) {
    const { id } = await begin(resource);
    const events = await call(id, "ls -A /workspace");
    assert.deepEqual(
      errorsIn(events).map((error) => error["type"]),
      [type],
    );
    assert.match(String(errorsIn(events)[0]?.["message"]), words);
    assert.match(tellingOf(events), /could not be cloned/);
  }
});

test("[SES121] an address that the server refuses is not asked, whatever the environment allows", async () => {
  const { port } = files.address() as AddressInfo;
  const url = `https://127.0.0.2:${port}/owner/open`;
  requests = [];
  const { id } = await begin({ type: "github_repository", url });
  const [error] = errorsIn(await call(id, "true"));
  assert.match(
    String(error?.["message"]),
    /127\.0\.0\.2 leads to 127\.0\.0\.2, which is .*allow_private_addresses/,
  );
  assert.deepEqual(requests, []);
  const agent = await it.agent();
  const { id: environment_id } = await it.environment("cloud");
  for (const plain of ["http://127.0.0.2/owner/name", "http://localhost/owner/name"]) {
    const resources = [{ type: "github_repository", url: plain }];
    const refused = await it.tryBegin({ agent: agent.id, environment_id, resources });
    assert.match(sentenceOf(refused, 400), /https address/);
  }
});

test("[SES143] people see of each repository whether it is cloned, and why it is not", async () => {
  const { id } = await begin(
    repository("private"),
    repository("private", { mount_path: "/workspace/wrong", authorization_token: "wrong" }),
  );
  const seen = async () => {
    const { cookie } = it.house.organizations.platform;
    const path = `/console/api/sessions/${id}/mount_notes`;
    const { status, body } = await it.house.ask("GET", path, { cookie });
    assert.equal(status, 200, JSON.stringify(body));
    return body as {
      data: { resource_id: string | null }[];
      repositories: {
        id: string;
        state: string;
        message: string | null;
        tried_at: string | null;
      }[];
    };
  };
  const statesOf = async () => (await seen()).repositories.map(({ state }) => state);
  assert.deepEqual(await statesOf(), ["waiting", "waiting"]);
  await call(id, "true");
  const { data, repositories } = await seen();
  const [first, second] = repositories;
  assert.deepEqual(first, { ...first, state: "cloned", message: null, tried_at: null });
  assert.equal(second?.state, "failed");
  assert.match(second.message ?? "", /^fatal: .* was not accepted/);
  assert.ok(second.tried_at !== null);
  assert.deepEqual(
    data.map(({ resource_id }) => resource_id),
    [second.id],
  );
  await it.good("POST", `/${id}/resources/${second.id}`, { body: { authorization_token: token } });
  await call(id, "true");
  assert.deepEqual(await statesOf(), ["cloned", "cloned"]);
});

test("[SES142] an address is that which git asks, in whatever letters, and all that is more is refused", async () => {
  const { id } = await begin(repository("private", { url: at("private").replace("http", "HTTP") }));
  assert.deepEqual(resultsOf(await call(id, "cat /workspace/private/README")), ["first"]);
});

test("[SES118] a clone that an interrupt ends is begun anew with the next call", async () => {
  const { id } = await begin(repository("slow"));
  requests = [];
  await it.send(id, said(shell("echo ran")));
  await until(async () => requests.some((path) => path.includes("slow")), "git to ask");
  await it.send(id, interrupt);
  const events = await it.idle(id);
  assert.match(tellingOf(events), /Interrupted before it began/);
  assert.deepEqual(errorsIn(events), []);
  slow.resolve();
  assert.deepEqual(resultsOf(await call(id, "cat /workspace/slow/README")), ["first"]);
});

test("[SES140] [SES144] a sandbox that clones takes room beside that of its session", async () => {
  const { id } = await begin(repository("held"));
  requests = [];
  await it.send(id, said(shell("cat /workspace/held/README")));
  await until(async () => requests.some((path) => path.includes("held")), "git to ask");
  const provider = await sandboxesPart.of(it.house.world).provider();
  const strange = (await provider.list()).filter((name) => !/^sesn_[0-9a-z]+$/.test(name));
  assert.deepEqual(strange, [], "that of the clone is no session's: it goes with its process");
  const other = await begin();
  await it.send(other.id, said(shell("echo other")));
  const isOver = async () => resultsOf(await it.events(other.id)).length > 0;
  const sandboxes = sandboxesPart.of(it.house.world);
  await until(async () => sandboxes.isWaitedFor || (await isOver()), "the other to wait");
  assert.equal(await isOver(), false, "there is room for two");
  held.resolve();
  assert.deepEqual(resultsOf(await it.idle(other.id)), ["other"]);
  assert.deepEqual(resultsOf(await it.idle(id)), ["first"]);
});

test("[SES144] where sandboxes have no git, that is said of the repository", async () => {
  const sections = { sandbox: { provider: "virtual" } };
  await using virtual = await openSessionHouse({ sections });
  const agent = await virtual.agent({ tools: [computer()] });
  const { id: environment_id } = await virtual.environment("cloud");
  const url = "https://git.example.com/owner/name";
  const resources = [{ type: "github_repository", url }];
  const { id } = await virtual.begin({ agent: agent.id, environment_id, resources });
  const events = await virtual.turn(id, said(shell("echo ran")));
  assert.match(
    tellingOf(events),
    /^ran\n[^]*Virtual sandboxes have neither package managers nor git/,
  );
  assert.deepEqual(
    errorsIn(events).map((error) => error["type"]),
    ["repository_clone_error"],
  );
});
