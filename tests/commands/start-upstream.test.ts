// `plinth start` in front of one model server: what it prints, and that a first request reaches that server's model.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fakeUpstream, type FakeUpstream } from "../upstreams/fake.ts";
import {
  ask,
  expectRefusal,
  openCommandRunner,
  type Server,
  type CommandRunner,
} from "./plinth.ts";

let runner: CommandRunner;
let fake: FakeUpstream;
let server: Server;
before(async () => {
  runner = openCommandRunner();
  const answer = {
    choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 2 },
  };
  const list = { data: [{ id: "nomic-embed-text" }, { id: "it's-local" }, { id: "other" }] };
  fake = await fakeUpstream(({ received: asked, reply }) => {
    if (asked.method === "GET") reply(200, JSON.stringify(list));
    else if (asked.path !== "/v1/chat/completions") reply(404, '{"detail":"Not Found"}');
    else if (asked.body.length < 3) reply(500, "Internal Server Error");
    else reply(200, JSON.stringify(answer));
  });
  const data = join(runner.directory, "data");
  server = await runner.start(["--data-dir", data], { env: { PLINTH_UPSTREAM: fake.url } });
});
after(async () => {
  await runner[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

test("[MDL16] one printed line says which model claude-… names lead to", () => {
  const { stdout } = server.printed();
  const line = `  Models         claude-… names lead to it's-local at ${fake.url}`;
  assert.equal(stdout.split("\n").filter((each) => each === line).length, 1, stdout);
});

test("[MDL16] the printed first request names the upstream's model and works in a shell", async () => {
  const { stdout } = server.printed();
  const command = /^ {2}(curl .+)$/m.exec(stdout)?.[1] ?? assert.fail(stdout);
  const shell = spawn("sh", ["-c", `${command} -sS -w '\\n%{http_code}'`], { cwd: "/" });
  let printed = "";
  shell.stdout.on("data", (text) => (printed += String(text)));
  shell.stderr.on("data", (text) => (printed += String(text)));
  await once(shell, "close");
  assert.match(printed, /"role":"assistant","model":"it's-local"/);
  assert.match(printed, /\n200$/);
  assert.equal(JSON.parse(String(fake.requests.at(-1)?.body)).model, "it's-local");
});

test("[MDL16] a model without the address of its server is refused", async () => {
  const args = ["start", "--port", "0", "--data-dir", join(runner.directory, "none")];
  const refused = await runner.run(args, { env: { PLINTH_UPSTREAM_MODEL: "some" } });
  expectRefusal(
    refused,
    /upstream_model names a model of the setting upstream, which is not given/,
  );
});

/** A settings file that speaks of a model which is only found at the start. */
function fileOf(models: object[]): string {
  const file = join(runner.directory, "found.config.json");
  writeFileSync(file, JSON.stringify({ models }));
  return file;
}
const spoken = [
  { id: "other", prices: { input: 3_000, output: 15_000 }, aliases: ["mine"] },
  { id: "beside", upstream: "simulator", allowed_fallback_models: ["other"] },
];

test("[MDL19] a start takes what the file says of a model that the server has", async () => {
  const env = { PLINTH_UPSTREAM: fake.url, PLINTH_CONFIG: fileOf(spoken) };
  const data = join(runner.directory, "spoken");
  const { code, stdout, stderr } = await runner.run(["init", "--json", "--data-dir", data], {
    env,
  });
  assert.equal(code, 0, stderr);
  const { api_key: key } = JSON.parse(stdout) as { api_key: string };
  const started = await runner.start(["--data-dir", data], { env });
  const body = { model: "mine", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] };
  const answered = await ask(started.url, "/v1/messages", {
    key,
    body: { ...body, thinking: { type: "adaptive" } },
  });
  assert.deepEqual([answered.status, answered.body.model], [200, "other"]);
  assert.equal(JSON.parse(String(fake.requests.at(-1)?.body)).model, "other");
  assert.equal((await started.stop()).code, 0);
});

test("[MDL19] a start whose server does not answer says that, and not what the file lacks", async () => {
  const gone = await fakeUpstream();
  await gone[Symbol.asyncDispose]();
  const args = ["start", "--port", "0", "--data-dir", join(runner.directory, "none")];
  const env = { PLINTH_UPSTREAM: gone.url, PLINTH_CONFIG: fileOf(spoken) };
  expectRefusal(
    await runner.run(args, { env }),
    /^plinth: http:\S+ does not answer as a model server .* setting upstream \(PLINTH_UPSTREAM\)/m,
  );
  const wrong = [...spoken, { id: "third", upstream: "upstream", guard: "nobody" }];
  const listed = { PLINTH_UPSTREAM: fake.url, PLINTH_CONFIG: fileOf(wrong) };
  expectRefusal(
    await runner.run(args, { env: listed }),
    /^plinth: The guard of the model third is nobody.* Mend it in .*found\.config\.json\.$/m,
  );
});

test("[MDL16] a start in front of a server that wants a key prints where a key goes", async () => {
  const refused = '{"type":"error","error":{"type":"authentication_error","message":"no key"}}';
  await using guarded = await fakeUpstream(({ reply }) => reply(401, refused));
  const data = join(runner.directory, "guarded");
  const env = { PLINTH_UPSTREAM: guarded.url };
  const started = await runner.start(["--data-dir", data], { env });
  const { stdout, stderr } = await started.stop();
  assert.match(stdout, /^ {17}Warning: http:\S+ wants a key, .* settings file, or .* page Models/m);
  assert.match(stderr, /wants a key/);
});

test("[MDL19] the doctor asks the named server as a start does, and says what a start would refuse", async () => {
  const args = ["doctor", "--json", "--data-dir", join(runner.directory, "asked")];
  const checkOf = async (models: object[], url = fake.url) => {
    const env = { PLINTH_UPSTREAM: url, PLINTH_CONFIG: fileOf(models), PLINTH_PORT: "0" };
    const { code, stdout } = await runner.run(args, { env });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] };
    return { code, checks: checks.filter(({ name }) => name === "upstream") };
  };
  const well = await checkOf(spoken);
  assert.deepEqual([well.code, well.checks.map(({ state }) => state)], [0, ["ok"]]);
  const lost = [{ id: "other", allowed_fallback_models: ["nowhere"] }];
  for (const { code, checks } of [
    await checkOf(lost),
    await checkOf([], "http://127.0.0.1:9/nothing"),
  ])
    assert.deepEqual([code, checks.map(({ state }) => state)], [1, ["fail"]]);
});
