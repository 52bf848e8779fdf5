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
import { until } from "./support.ts";
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
  const context = await outside.contextFor(host);
  setDefaultCACertificates([...getCACertificates("default"), outside.certificate]);
  secure = createTlsServer(
    { SNICallback: (_name, done) => done(null, context) },
    (request, response) => void echo(request, response),
  );
  secure.on("newSession", () => {});
  (secure as ReturnType<typeof createTlsServer>).setSecureContext({});
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

const limited = (...hosts: string[]) => ({
  config: {
    type: "cloud",
    networking: {
      type: "limited",
      allowed_hosts: hosts,
      allow_mcp_servers: false,
      allow_package_managers: false,
    },
  },
});
async function begin(vaultIds: readonly string[], environment: object = limited(host)) {
  const agent = await it.agent({ tools: [computer()] });
  const made = await it.environment("cloud", environment);
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
