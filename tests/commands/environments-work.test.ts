// `plinth environments check` and `work …`, and keys that an admin key makes: in processes of their own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { runInProcess } from "./in-process.ts";
import { openWorkspaceCommands, type WorkspaceCommands } from "./workspace-commands.ts";

let environments: WorkspaceCommands;
before(async () => {
  environments = await openWorkspaceCommands("environments");
});
after(async () => {
  await environments?.[Symbol.asyncDispose]();
});

/** The command with this in its environment, and nothing else but the address. */
const runWith = (env: Record<string, string>, ...words: string[]) =>
  runInProcess(["environments", ...words], { PLINTH_BASE_URL: environments.house.url, ...env });

async function hosted() {
  const id = (await environments.said("create", "--name", "ours", "--self-hosted")).trim();
  const { environment_key: key } = await environments.parsed("keys", "create", id);
  return { id, key: String(key) };
}

test("an admin key makes, lists and revokes keys of environments", async () => {
  const { id } = await hosted();
  const admin = { PLINTH_ADMIN_KEY: environments.house.organizations.platform.admin_api_key };
  const made = await runWith(admin, "keys", "create", id, "--json");
  assert.equal(made.code, 0, made.stderr);
  const { environment_key: key, id: keyId } = JSON.parse(made.stdout) as Record<string, string>;
  assert.match(key ?? "", /^sk-plinth-env-/);
  assert.match((await runWith(admin, "keys", "list", id)).stdout, new RegExp(keyId ?? "-"));
  assert.equal((await runWith(admin, "keys", "revoke", id, keyId ?? "", "--yes")).code, 0);
  assert.equal((await runWith(admin, "show", id)).code, 3);
});

test("a check is answered by a worker, or says after its time that none has", async () => {
  const { id, key } = await hosted();
  const alone = await environments.run("check", id, "--wait", "1");
  assert.equal(alone.code, 1);
  assert.match(
    alone.stderr,
    /No worker has answered the check work_\w+ within 1 second: it is queued/,
  );
  assert.match(await environments.said("work", "stats", id), /^waiting +1\n/);
  const checking = environments.run("check", id, "--wait", "60");
  const asWorker = async (method: string, path: string) => {
    const { status, body } = await environments.house.ask(
      method,
      `/v1/environments/${id}/work${path}`,
      {
        key,
        headers: { "vendor-beta": "managed-agents-2026-04-01" },
        ...(path.endsWith("stop") && { body: { force: true } }),
      },
    );
    assert.equal(status, 200, JSON.stringify(body));
    return body as { id: string };
  };
  const { id: work } = await asWorker("GET", "/poll");
  await asWorker("POST", `/${work}/ack`);
  await asWorker("POST", `/${work}/stop`);
  const { code, stdout, stderr } = await checking;
  assert.equal(code, 0, stderr);
  assert.equal(stdout, `a worker answered ${work}\n`);
  const list = await runWith({ PLINTH_ENVIRONMENT_KEY: key }, "work", "list", id);
  assert.match(list.stdout, new RegExp(`^ID +STATE +FOR .*\n${work} +stopped +a check `));
});

test("work is listed with a key of the environment, and stopped with one of the workspace", async () => {
  const { id, key } = await hosted();
  const refused = await environments.run("work", "list", id);
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /Set PLINTH_ENVIRONMENT_KEY to a key of the environment/);
  const empty = await runWith({ PLINTH_ENVIRONMENT_KEY: key }, "work", "list", id);
  assert.equal(empty.stderr, "The environment has no work.\n");
  const check = await environments.api("POST", `/${id}/check`);
  const stopped = await environments.parsed("work", "stop", id, String(check["id"]), "--force");
  assert.deepEqual([stopped["id"], stopped["state"]], [check["id"], "stopped"]);
  const again = await environments.run("work", "stop", id, String(check["id"]));
  assert.equal(again.code, 1);
  assert.match(again.stderr, /has stopped already/);
});
