// Rules SES85 to SES87: files and skills in the sandbox of a session, and files that its tools make.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { type MountedTest, mountsOf } from "./mounts-house.ts";
import { type SessionCalls, sessionsOf } from "./sessions-house.ts";
import { folder, skillsOf } from "./skills-house.ts";

let house: House;
let it: SessionCalls;
before(async () => {
  house = await openHouse();
  it = sessionsOf(() => house);
});
after(() => house[Symbol.asyncDispose]());

const key = () => house.organizations.platform.api_key;
const upload = async (name: string, content: string): Promise<string> => {
  const form = new FormData();
  form.append("file", new Blob([content]), name);
  const url = `${house.url}/v1/files`;
  const answer = await fetch(url, { method: "POST", headers: { "x-api-key": key() }, body: form });
  return ((await answer.json()) as { id: string }).id;
};
const mounted = async (resources: object[], agent: object = {}): Promise<MountedTest> => {
  const { id } = await it.agent(agent);
  const environment = await it.environment("cloud");
  const session = await it.begin({ agent: id, environment_id: environment.id, resources });
  return mountsOf(house.world, session.id);
};
const file = (file_id: string, mount_path?: string) => ({
  type: "file",
  file_id,
  ...(mount_path !== undefined && { mount_path }),
});

test("[SES85] files lie at their paths, also those that come and go later", async () => {
  const [one, two, three] = [
    await upload("a", "1"),
    await upload("b", "2"),
    await upload("c", "3"),
  ];
  using at = await mounted([file(one), file(two, "/workspace/data/two.csv")]);
  assert.deepEqual(await at.call("true"), []);
  const uploads = "/mnt/session/uploads";
  assert.equal(await at.say(`cat ${uploads}/${one} /workspace/data/two.csv`), "12");
  const target = await at.say("readlink /workspace/data/two.csv");
  assert.ok(target.startsWith(`${uploads}/`), "what the agent cannot change");
  const path = `/${at.session.id}/resources`;
  const places = [`${uploads}/deep/three`, "/workspace/late/three"];
  const added: string[] = [];
  for (const place of places) {
    const { id } = await it.good<{ id: string }>("POST", path, { body: file(three, place) });
    added.push(id);
  }
  await at.prepare();
  assert.equal(await at.say(`cat ${places.join(" ")}`), "33");
  for (const id of added) await it.good("DELETE", `${path}/${id}`);
  await at.prepare();
  assert.equal(await at.say(`find ${uploads}/deep /workspace/late ! -type d 2>/dev/null`), "");
});

test("[SES85] a file that is not there, or whose path is taken, is told of once", async () => {
  const [one, two] = [await upload("a", "1"), await upload("b", "2")];
  using at = await mounted([file(one), file(two, "/workspace/taken")]);
  await house.ask("DELETE", `/v1/files/${one}`, { key: key() });
  await at.say("echo mine >/workspace/taken");
  const notes = await at.call("true");
  assert.equal(notes.length, 2);
  assert.match(notes[0] ?? "", new RegExp(`uploads/${one} is not there: There is no file`));
  const place = /the file lies in (\S+)\.$/.exec(notes[1] ?? "")?.[1];
  assert.equal(await at.say(`cat ${place} /workspace/taken`), "2mine\n");
  assert.deepEqual(await at.call("true"), []);
});

interface MadeFile {
  id: string;
  filename: string;
  size_bytes: number;
  downloadable: boolean;
  scope: unknown;
}
const made = async ({ session }: MountedTest): Promise<MadeFile[]> => {
  const beta = { "vendor-beta": "files-api-2025-04-14,managed-agents-2026-04-01" };
  const path = `/v1/files?scope_id=${session.id}`;
  const { status, body } = await house.ask("GET", path, { key: key(), headers: beta });
  assert.equal(status, 200, JSON.stringify(body));
  return (body as { data: MadeFile[] }).data;
};

test("[SES86] what tools write to the outputs can be downloaded, each content of a name once", async () => {
  using at = await mounted([]);
  const out = "/mnt/session/outputs";
  assert.deepEqual(
    await at.call(`mkdir ${out}/in; printf 1 >${out}/a.txt; seq 2000000 >${out}/in/b.csv`),
    [],
  );
  const first = await made(at);
  assert.deepEqual(first.map(({ filename }) => filename).toSorted(), ["a.txt", "b.csv"]);
  for (const { id, downloadable, scope, filename } of first) {
    assert.deepEqual([downloadable, scope], [true, { type: "session", id: at.session.id }]);
    const url = `${house.url}/v1/files/${id}/content`;
    const content = await (await fetch(url, { headers: { "x-api-key": key() } })).text();
    const place = filename === "a.txt" ? "a.txt" : "in/b.csv";
    assert.ok(content === (await at.say(`cat ${out}/${place}`)), filename);
  }
  await at.call("true");
  await at.call(`touch ${out}/a.txt; ln -s /etc/passwd ${out}/link; cp ${out}/a.txt ${out}/in/`);
  assert.equal((await made(at)).length, 2);
  await at.call(`printf 2 >${out}/a.txt`);
  await at.call(`printf 1 >${out}/a.txt`);
  assert.equal((await made(at)).length, 3, "back to what was known");
  const again = await mountsOf(house.world, at.session.id, at.sandbox);
  await again.call("true");
  assert.equal((await made(at)).length, 3, "also to another process");
});

test("[SES86] an output that is too large is told of", async () => {
  using at = await mounted([]);
  const out = "/mnt/session/outputs";
  const notes = await at.call(`truncate -s 104857601 ${out}/large`);
  assert.match(notes[0] ?? "", /outputs\/large has more than 104857600 bytes/);
  assert.deepEqual(await made(at), []);
  assert.deepEqual(await at.call("true"), []);
});

test("[SES86] an output that changes while it is read is taken when it is whole", async () => {
  using at = await mounted([]);
  const out = "/mnt/session/outputs";
  const whole = at.sandbox.exec.bind(at.sandbox);
  let isTorn = true;
  at.sandbox.exec = async (request) => {
    const result = await whole(request);
    if (isTorn && request.command.includes(`${out}/file`))
      await at.say(`printf longer >${out}/file`);
    return isTorn && request.command.includes(`${out}/file`)
      ? { ...result, output: Buffer.from("torn") }
      : result;
  };
  await at.call(`printf file >${out}/file`);
  assert.deepEqual(await made(at), []);
  isTorn = false;
  await at.call("true");
  assert.deepEqual((await made(at)).map(({ size_bytes }) => size_bytes), [6]); // prettier-ignore
});

test("[SES87] skills lie in folders of their names, ready to be run", async () => {
  const skills = skillsOf(() => house);
  const files = {
    "greeting/run.sh": "#!/bin/sh\necho hello",
    "greeting/docs/more.md": "more",
  };
  const skill = await skills.upload(folder(files, "greeting"));
  const goner = await skills.upload(folder({}, "goner"));
  const named = [skill, goner].map(({ id }) => ({ type: "custom", skill_id: id }));
  using at = await mounted([], { skills: named });
  await house.ask("DELETE", `/v1/skills/${goner.id}`, { key: key() });
  assert.deepEqual(await at.call("true"), []);
  assert.equal(
    await at.say("/mnt/skills/greeting/run.sh; cat /mnt/skills/*/docs/more.md"),
    "hello\nmore",
  );
  assert.equal(await at.say("ls /mnt/skills"), "greeting\n");
});
