// Rules SES10 to SES12 and SES142: what a session is given, and what its model is told of it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openUpstreamsHouse, type UpstreamsHouse } from "./fallbacks-upstreams-house.ts";
import { addWorkspace, errorOf, memoryOf, statusesOf, type Page } from "./memory-house.ts";
import {
  openSessionHouse,
  rowsOf,
  said,
  sessionsOf,
  type Session,
  type SessionCalls,
} from "./sessions-house.ts";
import { folder, skillsOf } from "./skills-house.ts";
import { sentenceOf } from "./support.ts";

let opened: UpstreamsHouse;
let it: SessionCalls;
let memory: ReturnType<typeof memoryOf>;
before(async () => {
  opened = await openUpstreamsHouse([{ id: "watched" }]);
  it = sessionsOf(() => opened.house);
  memory = memoryOf(() => opened.house);
});
after(() => opened[Symbol.asyncDispose]());

const upload = async (key = opened.house.organizations.platform.api_key): Promise<string> => {
  const form = new FormData();
  form.append("file", new Blob(["one"]), "notes.txt");
  const headers = { "x-api-key": key };
  const url = `${opened.house.url}/v1/files`;
  const answer = await fetch(url, { method: "POST", headers, body: form });
  return ((await answer.json()) as { id: string }).id;
};
const file = (file_id: string, more: object = {}) => ({ type: "file", file_id, ...more });
const repository = (name: string, more: object = {}) => ({
  type: "github_repository",
  url: `https://github.com/owner/${name}`,
  ...more,
});
const store = async (body: object = {}, more: object = {}) => ({
  type: "memory_store",
  memory_store_id: (await memory.good<{ id: string }>("POST", "", { body: { name: "n", ...body } }))
    .id,
  ...more,
});

const begin = async (resources: readonly object[], more: object = {}) =>
  it.make({ model: "watched", ...more }, { resources });
const tryBegin = async (resources: readonly object[]) =>
  it.tryBegin({ ...(await it.bodyOf({ model: "watched" })), resources });
/** Each of them is refused with 400 and these words, and leaves nothing behind. */
const refuses = async (wrong: readonly (readonly [resources: object[], words: RegExp])[]) => {
  const body = await it.bodyOf({ model: "watched" });
  const before = await rowsOf(opened.house);
  for (const [resources, words] of wrong)
    assert.match(sentenceOf(await it.tryBegin({ ...body, resources }), 400), words);
  assert.deepEqual(await rowsOf(opened.house), before);
};
const mountsOf = ({ resources }: Session) => resources.map((each) => each.mount_path);

test("[SES10] a hundred things are given, and a hundred and one refused", async () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => repository(`r${at}`));
  const { id, resources } = await begin(many(100));
  assert.equal(resources.length, 100);
  const before = await rowsOf(opened.house);
  sentenceOf(await tryBegin(many(101)), 400);
  const added = await it.call("POST", `/${id}/resources`, { body: file(await upload()) });
  assert.match(sentenceOf(added, 400), /100 resources/);
  assert.deepEqual(await rowsOf(opened.house), before);
});

test("[SES10] of files that are added at once no more are taken than there is room for", async () => {
  const many = Array.from({ length: 98 }, (_, at) => repository(`r${at}`));
  const { id } = await begin(many);
  const files = await Promise.all([1, 2, 3, 4].map(() => upload()));
  const add = (file_id: string) => it.call("POST", `/${id}/resources`, { body: file(file_id) });
  assert.deepEqual(statusesOf(await Promise.all(files.map(add))), [200, 200, 400, 400]);
  assert.equal((await it.read(id)).resources.length, 100);
});

test("[SES10] eight memory stores, none twice, none that is archived or another workspace's", async () => {
  const stores: object[] = [];
  for (let at = 0; at < 9; at++) stores.push(await store({ name: `store ${at}` }));
  const { resources } = await begin(stores.slice(0, 8));
  assert.equal(resources.length, 8);
  const archived = await store({ name: "old" });
  await memory.good("POST", `/${archived.memory_store_id}/archive`);
  const { other, platform } = opened.house.organizations;
  const theirs = await memory.store({ key: other.api_key });
  const beside = await addWorkspace(opened.house, platform.organization_id, "wrkspc_ses10");
  const besides = await memory.store({ cookie: platform.cookie, ...beside });
  const [first = {}] = stores;
  await refuses([
    [stores, /9 memory stores.*at most 8/],
    [[first, first], /resources\.1\.memory_store_id: the store is named twice/],
    [[archived], /archived/],
  ]);
  for (const memory_store_id of [theirs.id, besides.id, "memstore_none"]) {
    const answer = await tryBegin([{ type: "memory_store", memory_store_id }]);
    const said = errorOf(answer, 404, "memory_store_not_found").message;
    assert.equal(said, `There is no memory store ${memory_store_id}.`);
  }
  const { message } = errorOf(await tryBegin([archived]), 400, "memory_store_archived");
  assert.ok(message.includes(archived.memory_store_id));
});

test("[SES10] paths have defaults, are made plain, and do not lie in one another", async () => {
  const [one, two] = [await upload(), await upload()];
  const session = await begin([
    file(one),
    file(two, { mount_path: "/data/../data/two.txt" }),
    file(one, { mount_path: "/z/" }),
    repository("name"),
    repository("other.git", { mount_path: null }),
    await store({ name: "Team Notes" }),
  ]);
  assert.deepEqual(mountsOf(session), [
    `/mnt/session/uploads/${one}`,
    "/data/two.txt",
    "/z",
    "/workspace/name",
    "/workspace/other",
    `/mnt/memory/${session.id}/team-notes`,
  ]);
  const at = (mount_path: string) => file(two, { mount_path });
  await refuses([
    [[file(one), file(one)], /lie in one another/],
    [[repository("name"), repository("name")], /lie in one another/],
    [[repository("name"), at("/workspace/name/a.txt")], /resources\.1\.mount_path/],
    [[at("/workspace/name/a.txt"), repository("name")], /lie in one another/],
    [[at("/data/x/../a"), file(one, { mount_path: "/data/a" })], /lie in one another/],
    [
      [at("/z/"), file(one, { mount_path: "/z" })],
      /^resources\.1\.mount_path: .*lie in one another/,
    ],
    [[at("/.//")], /^resources\.0\.mount_path: must name a place below the root/],
    [[repository("name", { mount_path: "/a/.." })], /^resources\.0\.mount_path: .*below the root/],
    [[at("data/a.txt")], /must be an absolute path/],
    ...["/data/a\nb", "/data/\u007f", "/\u0085", "/data/\u2028x", "/data/a\t"].map(
      (path): [object[], RegExp] => [
        [at(path)],
        /^resources\.0\.mount_path: has a line break or another control character/,
      ],
    ),
    [[at(`/${"a".repeat(1024)}`)], /mount_path/],
    [[at(`/data/${"é".repeat(128)}/a`)], /^resources\.0\.mount_path: has a step of more than 255/],
  ]);
  // Beside one another is not within.
  await begin([repository("name"), at("/workspace/name-too")]);
  await begin([at(`/data/${"a".repeat(255)}`)]);
});

test("[SES10] two stores of one name have two paths", async () => {
  const stores = [await store({ name: "notes" }), await store({ name: "notes" })];
  const session = await begin(stores);
  const [first, second] = mountsOf(session);
  assert.equal(first, `/mnt/memory/${session.id}/notes`);
  assert.match(String(second), new RegExp(`^/mnt/memory/${session.id}/notes-\\w{6}$`));
});

test("[SES10] in a sandbox a store lies at one place; on a worker's machine below a root that is a setting", async () => {
  const given = { resources: [await store({ name: "notes" })], agent: (await it.agent()).id };
  const { id: environment_id } = await it.environment("cloud");
  const { resources } = await it.begin({ ...given, environment_id });
  assert.equal(resources[0]?.mount_path, "/mnt/memory/notes");
  await using other = await openSessionHouse({
    sections: { environments: { self_hosted_mount_root: "/srv/plinth" } },
  });
  const theirs = memoryOf(() => other.house);
  const made = await theirs.good<{ id: string }>("POST", "", { body: { name: "notes" } });
  const memory_store_id = made.id;
  const session = await other.make({}, { resources: [{ type: "memory_store", memory_store_id }] });
  assert.equal(session.resources[0]?.mount_path, `/srv/plinth/${session.id}/notes`);
});

test("[SES10] what a repository is named by, and files that are not there", async () => {
  const sha = "a".repeat(40);
  const commit = { type: "commit", sha };
  const { resources } = await begin([
    repository("one", { checkout: { type: "branch", name: "main" } }),
    repository("two", { checkout: commit }),
  ]);
  assert.deepEqual(
    resources.map((each) => ("checkout" in each ? each.checkout : null)),
    [{ type: "branch", name: "main" }, commit],
  );
  const at = (url: string) => [{ type: "github_repository", url }];
  const before = await rowsOf(opened.house);
  const theirs = await upload(opened.house.organizations.other.api_key);
  for (const id of ["file_none", theirs]) sentenceOf(await tryBegin([file(id)]), 404);
  assert.deepEqual(await rowsOf(opened.house), before);
  await refuses([
    [at("http://github.com/owner/name"), /https address/],
    [at("https://user@github.com/owner/name"), /https address/],
    [at("https://github.com/owner"), /https address/],
    [at("not an address"), /https address/],
    ...[
      "https://github.com/owner/name?x=1",
      "https://github.com/owner/name#x",
      "https://github.com/owner/na\nme",
      " https://github.com/owner/name",
      "https:\\\\github.com\\owner\\name",
      "https://github.com/owner/.git",
      "https://github.com/owner/...git",
    ].map((url): [object[], RegExp] => [at(url), /https address/]),
    ...["token\n", "to ken", " ", "tok\u00e9n"].map((authorization_token): [object[], RegExp] => [
      [repository("one", { authorization_token })],
      /authorization_token: must be the token alone/,
    ]),
    [[repository("one", { checkout: { type: "commit", sha: "abc" } })], /sha/],
  ]);
});

test("[SES11] files come and go, stores and repositories are named at the beginning", async () => {
  const { id } = await begin([repository("name"), await store()]);
  const path = `/${id}/resources`;
  const file_id = await upload();
  const added = await it.good<{ id: string }>("POST", path, { body: file(file_id) });
  assert.match(added.id, /^sesrsc_/);
  assert.deepEqual(await it.good("GET", `${path}/${added.id}`), added);
  const listed = await it.good<Page<{ type: string }>>("GET", path);
  assert.deepEqual(
    listed.data.map(({ type }) => type),
    ["github_repository", "memory_store", "file"],
  );
  assert.deepEqual((await it.read(id)).resources, listed.data);
  const before = await rowsOf(opened.house);
  for (const body of [repository("late"), await store({ name: "late" })])
    sentenceOf(await it.call("POST", path, { body }), 400);
  const taken = await it.call("POST", path, { body: file(file_id) });
  assert.match(sentenceOf(taken, 400), /^mount_path: .*lie in one another/);
  sentenceOf(await it.call("POST", path, { body: file("file_none") }), 404);
  assert.deepEqual(await rowsOf(opened.house), before);
  const gone = await it.good("DELETE", `${path}/${added.id}`);
  assert.deepEqual(gone, { id: added.id, type: "session_resource_deleted" });
  sentenceOf(await it.call("GET", `${path}/${added.id}`), 404);
  sentenceOf(await it.call("DELETE", `${path}/${added.id}`), 404);
  assert.equal((await it.read(id)).resources.length, 2);
});

test("[SES11] a store has no id, and the name and description that it had then", async () => {
  const given = await store({ name: "Plans", description: "What we plan." });
  const session = await begin([{ ...given, access: "read_only", instructions: "Read first." }]);
  const shown = {
    type: "memory_store",
    memory_store_id: given.memory_store_id,
    access: "read_only",
    name: "Plans",
    description: "What we plan.",
    instructions: "Read first.",
    mount_path: `/mnt/memory/${session.id}/plans`,
  };
  assert.deepEqual(session.resources, [shown]);
  const changed = { name: "Other", description: "Something else." };
  await memory.good("POST", `/${given.memory_store_id}`, { body: changed });
  assert.deepEqual((await it.read(session.id)).resources, [shown]);
  const [row] = await opened.house.world.db.query<{ id: string }>(
    sql`select id from session_resources where session_id = ${session.id}`,
  );
  for (const method of ["GET", "DELETE"])
    sentenceOf(await it.call(method, `/${session.id}/resources/${row?.id}`), 404);
  const plain = await begin([await store()]);
  const [only] = plain.resources;
  assert.ok(only?.type === "memory_store");
  assert.deepEqual([only.access, only.instructions], ["read_write", null]);
});

test("[SES11] instructions have at most 4,096 characters", async () => {
  const named = await store();
  await begin([{ ...named, instructions: "i".repeat(4096) }]);
  await refuses([[[{ ...named, instructions: "i".repeat(4097) }], /instructions/]]);
});

test("[SES11] the token of a repository is kept encrypted, never answered, and replaced", async () => {
  const body = await it.bodyOf({ model: "watched" });
  const resources = [repository("name", { authorization_token: "first-token" })];
  const made = await it.tryBegin({ ...body, resources });
  assert.equal(made.status, 200);
  const { id } = made.body as Session;
  const [given] = (made.body as Session).resources as { id: string }[];
  const secret = async () => {
    const [row] = await opened.house.world.db.query<{ secret: string }>(
      sql`select secret from session_resources where id = ${given?.id}`,
    );
    return row?.secret ?? "";
  };
  const before = await secret();
  assert.ok(before !== "" && !before.includes("first-token"));
  const path = `/${id}/resources/${given?.id}`;
  const rotated = await it.call("POST", path, { body: { authorization_token: "second-token" } });
  assert.equal(rotated.status, 200);
  const after = await secret();
  assert.ok(after !== before && !after.includes("second-token"));
  const answers = [
    made,
    rotated,
    await it.call("GET", `/${id}`),
    await it.call("GET", `/${id}/resources`),
    await it.call("GET", path),
  ];
  for (const { body: answer } of answers)
    assert.doesNotMatch(JSON.stringify(answer), /-token|authorization/);
  const added = await it.good<{ id: string }>("POST", `/${id}/resources`, {
    body: file(await upload()),
  });
  const token = { authorization_token: "third-token" };
  const refused = await it.call("POST", `/${id}/resources/${added.id}`, { body: token });
  assert.match(sentenceOf(refused, 400), /only a repository/);
  sentenceOf(await it.call("POST", path, { body: { authorization_token: "" } }), 400);
  assert.equal(await secret(), after);
});

test("[SES11] what a session is given is not another session's", async () => {
  const [one, two] = [await begin([repository("name")]), await begin([])];
  const [given] = one.resources as { id: string }[];
  for (const method of ["GET", "DELETE"])
    sentenceOf(await it.call(method, `/${two.id}/resources/${given?.id}`), 404);
  assert.equal((await it.read(one.id)).resources.length, 1);
});

/** What the model was told beside the conversation, in the last call. */
const toldOf = () =>
  (
    JSON.parse(String(opened.upstream.requests.at(-1)?.body)) as { system?: { text: string }[] }
  ).system?.map(({ text }) => text) ?? [];

test("[SES12][SES131] the model is told of each store, where it is and whether it may write", async () => {
  const plans = await store({ name: "Plans", description: "What we plan." });
  const notes = await store({ name: "Notes", description: "What we know." });
  const resources = [
    { ...plans, access: "read_only", instructions: "Read first." },
    { ...notes, access: "read_write" },
    repository("name"),
  ];
  const { id: environment_id } = await it.environment("cloud");
  const { id: agent } = await it.agent({ model: "watched", system: "You help." });
  const session = await it.begin({ agent, environment_id, resources });
  await it.turn(session.id, said("Hello"));
  const [own, told = "", cloned = "", ...more] = toldOf();
  assert.deepEqual([own, more], ["You help.", []]);
  assert.match(cloned, /- https:\/\/github\.com\/owner\/name: \/workspace\/name\n/);
  assert.match(
    told,
    /Plans: \/mnt\/memory\/plans \(read only\)\s+What we plan\.\s+Read first\.\n- Notes: \/mnt\/memory\/notes \(read and write\)\s+What we know\.\n/,
  );
  assert.doesNotMatch(told, /owner|github/);
  // A worker mounts them at paths of the session's own, and clones itself.
  const hosted = await begin(resources);
  await it.turn(hosted.id, said("Hello"));
  const [toldThere = "", ...nothing] = toldOf();
  assert.deepEqual(nothing, []);
  assert.ok(toldThere.includes(`- Notes: /mnt/memory/${hosted.id}/notes (read and write)`));
  assert.ok(toldThere.includes(`elsewhere under /mnt/memory/${hosted.id} is lost`));
  const plain = await begin([]);
  await it.turn(plain.id, said("Hello"));
  assert.deepEqual(toldOf(), []);
});

test("[SES12] the model is told of each skill, and of one that is deleted no more", async () => {
  const skills = skillsOf(() => opened.house);
  const forms = await skills.upload(folder());
  const more = await skills.upload(folder({}, "more-forms"));
  const named = [forms, more].map(({ id }) => ({ type: "custom", skill_id: id }));
  const session = await begin([], { skills: named });
  await it.turn(session.id, said("Hello"));
  const [told = ""] = toldOf();
  assert.match(told, /- pdf-forms: Fills forms\.\n- more-forms: Fills forms\./);
  assert.equal((await skills.call("DELETE", `/${forms.id}`)).status, 200);
  await it.turn(session.id, said("Hello again"));
  const [later = ""] = toldOf();
  assert.doesNotMatch(later, /pdf-forms/);
  assert.match(later, /- more-forms: Fills forms\./);
});
