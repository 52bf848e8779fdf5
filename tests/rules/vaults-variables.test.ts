// Rules VLT12 and VLT14 to VLT16: environment variables of vaults, in real sandboxes that reach servers of a test.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { makeAuthority } from "../../server/sandboxes/module.ts";
import { usesPart } from "../../server/vaults/module.ts";
import { resultsOf, shell } from "./sessions-sandboxes-house.ts";
import {
  computer,
  ofType,
  openSessionHouse,
  said,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-house.ts";
import { variable, vaultsOf } from "./vaults-house.ts";

const value = "top-secret-value-of-a-test";
/** Not the address that sandboxes take for themselves. */
const host = "127.0.0.2";

interface Asked {
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}
const asked: Asked[] = [];
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = "", headers } = request;
  asked.push({ url, headers, body: await text(request) });
  response.end(JSON.stringify(asked.at(-1)));
}
const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
};
const plain = createServer((request, response) => void echo(request, response));
let secure: Server;
const ports = { plain: 0, secure: 0 };

let it: SessionHouse;
before(async () => {
  const outside = await makeAuthority({ clock: systemClock, random: systemRandom });
  setDefaultCACertificates([...getCACertificates("default"), outside.certificate]);
  secure = createTlsServer(await outside.certificateFor(host), (request, response) => {
    void echo(request, response);
  });
  ports.plain = await listen(plain);
  ports.secure = await listen(secure);
  it = await openSessionHouse({
    sections: { network: { allow_private_addresses: ["127.0.0.2/32"] } },
  });
});
after(async () => {
  await it?.[Symbol.asyncDispose]();
  plain.close();
  secure.close();
});
const vaults = vaultsOf(() => it.house);

async function begin(vaultIds: readonly string[], allowed: readonly string[] = [host]) {
  const agent = await it.agent({ tools: [computer()] });
  const networking = { type: "limited", allowed_hosts: allowed };
  const made = await it.askGood<{ id: string }>("POST", "/v1/environments", {
    body: { name: "lab", config: { type: "cloud", networking } },
  });
  const body = { agent: agent.id, environment_id: made.id, vault_ids: vaultIds };
  return (await it.begin(body)).id;
}
const auth = (more: object = {}) =>
  variable({
    secret_value: value,
    networking: { type: "limited", allowed_hosts: [host] },
    ...more,
  });
const run = async (id: string, ...lines: string[]): Promise<string[]> =>
  resultsOf(await it.turn(id, said(shell(...lines))));
const errorsIn = (events: readonly SessionEvent[]) =>
  ofType(events, "session.error").map(({ error }) => error as Record<string, unknown>);

test("[VLT12] the sandbox has a placeholder, and the host the secret", async () => {
  const vault = await vaults.make();
  await vaults.add(vault.id, auth());
  const id = await begin([vault.id]);
  const events = await it.turn(
    id,
    said(
      shell(
        "echo $API_KEY",
        `curl -sS -H "Authorization: Bearer $API_KEY" http://${host}:${ports.plain}/a`,
      ),
    ),
  );
  const [placeholder = "", answer = ""] = resultsOf(events);
  assert.match(placeholder, /^placeholder_of_secret_[0-9a-f]{32}\n?$/);
  assert.equal(asked.at(-1)?.headers.authorization, `Bearer ${value}`);
  assert.match(answer, /Bearer \*{26}/);
  assert.deepEqual(errorsIn(events), []);
  // The same in the next sandbox, and another one in another session.
  const [again = ""] = await run(id, "printenv API_KEY");
  assert.equal(again.trim(), placeholder.trim());
  const other = await begin([vault.id]);
  const [own = ""] = await run(
    other,
    "printenv API_KEY",
    `curl -sS -H "x-a: ${placeholder.trim()}" http://${host}:${ports.plain}/b`,
  );
  assert.notEqual(own.trim(), placeholder.trim());
  assert.equal(asked.at(-1)?.headers["x-a"], placeholder.trim(), "that of another session");
});

test("[VLT12] programs trust the network of their sandbox, each in its own way", async () => {
  const vault = await vaults.make();
  await vaults.add(vault.id, auth());
  const id = await begin([vault.id]);
  const at = `https://${host}:${ports.secure}`;
  const python = `import os, urllib.request as u
r = u.Request("${at}/python", headers={"x-a": os.environ["API_KEY"]})
print(u.urlopen(r).status)`;
  // Older ones ask no proxy by themselves.
  const node = `const { connect } = require("node:tls");
const ask = require("node:http").request({ port: 3128, method: "CONNECT", path: "${host}:${ports.secure}" });
ask.on("connect", (_reply, socket) => {
  const inner = connect({ socket, host: "${host}" });
  inner.write("GET /node HTTP/1.0\\r\\nx-a: " + process.env.API_KEY + "\\r\\n\\r\\n");
  inner.once("data", (data) => console.log(String(data).split(" ")[1]));
}).end()`;
  const results = await run(
    id,
    `curl -sS -o /dev/null -w '%{http_code}' -u "me:$API_KEY" ${at}/curl`,
    `python3 -c '${python}'`,
    `node -e '${node}'`,
    `git -c http.extraHeader="x-a: $API_KEY" ls-remote ${at}/git 2>/dev/null; echo 200`,
    `if command -v wget > /dev/null; then wget -q -O /dev/null --header "x-a: $API_KEY" ${at}/wget || exit 1; fi; echo 200`,
  );
  assert.deepEqual(
    results.map((line) => line.trim()),
    ["200", "200", "200", "200", "200"],
  );
  const basic = `Basic ${Buffer.from(`me:${value}`).toString("base64")}`;
  const seen = (path: string) => asked.find(({ url }) => url.startsWith(path))?.headers;
  assert.equal(seen("/curl")?.authorization, basic);
  for (const path of ["/python", "/node", "/git/info/refs"])
    assert.equal(seen(path)?.["x-a"], value, path);
});

test("[VLT16] the secret is nowhere in the sandbox, in events, answers, audit or database", async () => {
  const secret = "planted-once-and-only-here";
  const vault = await vaults.make();
  const body = { header: true, body: true };
  await vaults.add(vault.id, auth({ secret_value: secret, injection_location: body }));
  const id = await begin([vault.id]);
  const at = `https://${host}:${ports.secure}`;
  const pieces = [secret.slice(0, 12), secret.slice(12)].join("'\"\"'");
  const events = await it.turn(
    id,
    said(
      shell(
        `curl -sS -d "{\\"key\\":\\"$API_KEY\\"}" -H 'content-type: application/json' -H "x-a: $API_KEY" ${at}/d > answer; cat answer`,
        "cat /proc/*/environ /proc/*/cmdline > /tmp/all 2>/dev/null; env >> /tmp/all; true",
        `grep -rlF '${pieces}' /tmp /workspace /mnt /run /home /etc /dev/shm 2>/dev/null | wc -l`,
      ),
    ),
  );
  const { headers, body: sent } = asked.at(-1) ?? assert.fail();
  assert.deepEqual([headers["x-a"], sent], [secret, `{"key":"${secret}"}`]);
  assert.equal(resultsOf(events).at(-1)?.trim(), "0");
  assert.ok(!JSON.stringify(await it.events(id)).includes(secret));
  const tables = await it.house.world.db.query<{ name: string }>(sql`
    select table_name as name from information_schema.tables where table_schema = 'public'`);
  for (const { name } of tables) {
    const [found] = await it.house.world.db.query<{ count: number }>({
      text: `select count(*)::int as count from "${name}" as row where row::text like $1`,
      values: [`%${secret}%`],
    });
    assert.equal(found?.count, 0, name);
  }
});

test("[VLT14] a credential that is archived is put in no more, within a second", async () => {
  const vault = await vaults.make();
  const credential = await vaults.add(vault.id, auth());
  const id = await begin([vault.id]);
  const ask = `curl -sS -o /dev/null -H "x-a: $API_KEY" http://${host}:${ports.plain}/c`;
  await run(id, ask);
  assert.equal(asked.at(-1)?.headers["x-a"], value);
  await vaults.good("POST", `/${vault.id}/credentials/${credential.id}/archive`);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await run(id, ask);
  assert.match(String(asked.at(-1)?.headers["x-a"]), /^placeholder_of_secret_/);
});

test("[VLT15] hosts that the environment does not allow are told once, and the session goes on", async () => {
  const vault = await vaults.make();
  const credential = await vaults.add(vault.id, auth());
  const id = await begin([vault.id], ["elsewhere.example", "*.example.com"]);
  const events = await it.turn(id, said(shell("echo $API_KEY")));
  const [error, ...others] = errorsIn(events);
  assert.deepEqual(others, []);
  const { message, ...rest } = error ?? {};
  assert.deepEqual(rest, {
    type: "credential_host_unreachable_error",
    credential_id: credential.id,
    vault_id: vault.id,
    retry_status: { type: "retrying" },
  });
  assert.match(
    String(message),
    /for the variable API_KEY is for 127\.0\.0\.2, and the environment/,
  );
  assert.match(resultsOf(events)[0] ?? "", /^placeholder_of_secret_/);
  assert.deepEqual(errorsIn(await it.turn(id, said("Go on."))), []);
  for (const [hosts, allowed] of [
    [["api.example.com"], ["*.example.com"]],
    [["*.example.com"], ["api.example.com"]],
    [["*.a.example.com"], ["*.example.com"]],
  ] as const) {
    const networking = { type: "limited", allowed_hosts: hosts };
    await vaults.change(credential, { auth: { type: "environment_variable", networking } });
    const fine = await begin([vault.id], allowed);
    assert.deepEqual(errorsIn(await it.turn(fine, said("Hello."))), [], hosts.join());
  }
});

test("[VLT15] workers of a self-hosted environment get no variable, and the session says so", async () => {
  const vault = await vaults.make();
  const credential = await vaults.add(vault.id, auth());
  const agent = await it.agent({ tools: [] });
  const environment = await it.environment("self_hosted");
  const body = { agent: agent.id, environment_id: environment.id, vault_ids: [vault.id] };
  const { id } = await it.begin(body);
  const [error] = errorsIn(await it.turn(id, said("Hello.")));
  assert.equal(error?.["type"], "credential_host_unreachable_error");
  assert.equal(error?.["credential_id"], credential.id);
  assert.match(String(error?.["message"]), /self-hosted environment/);
});

test("[VLT11] of two that came together later neither is used, and both are named", async () => {
  const [one, two] = [await vaults.make(), await vaults.make()];
  const first = await vaults.add(one.id, auth());
  const id = await begin([one.id, two.id]);
  const ask = `curl -sS -o /dev/null -H "x-a: $API_KEY" http://${host}:${ports.plain}/e`;
  await run(id, ask);
  const second = await vaults.add(two.id, auth());
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const events = await it.turn(id, said(shell(ask)));
  assert.match(String(asked.at(-1)?.headers["x-a"]), /^placeholder_of_secret_/);
  const [error] = errorsIn(events);
  for (const each of [first.id, second.id, "API_KEY"])
    assert.ok(String(error?.["message"]).includes(each));
});

test("[VLT16] each use leaves a line for session, credential, host and hour", async () => {
  const vault = await vaults.make();
  const credential = await vaults.add(vault.id, auth());
  const id = await begin([vault.id]);
  const { db } = it.house.world;
  const lines = () =>
    db.query<{ details: Record<string, string> }>(sql`
      select details from audit_events where action = 'vault_credential.used'
        and target_id = ${credential.id}`);
  const ask = `curl -sS -o /dev/null -H "x-a: $API_KEY" http://${host}:${ports.plain}/f`;
  await run(id, ask, ask);
  await run(id, "true");
  assert.deepEqual(
    (await lines()).map(({ details }) => details),
    [{ host, session_id: id, vault_id: vault.id }],
  );
  await db.query(sql`update credential_uses set hour = hour - interval '1 hour'`);
  usesPart.of(it.house.world).clear();
  await run(id, ask);
  assert.equal((await lines()).length, 2);
});
