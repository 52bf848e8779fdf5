// `npm run clients`: real programs of this wire, installed into a scratch directory, against a fresh server.
import { chmodSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeTable } from "./clients/document.ts";
import { isClosed, runClosed } from "./clients/network.ts";
import { install } from "./clients/install.ts";
import { clients } from "./clients/client-list.ts";
import { tryClients } from "./clients/trial.ts";
import { expectNode, finish, sum } from "./run.ts";

expectNode();

const help = `npm run clients [-- words]   only clients whose id holds one of the words
  --directory DIR   where they are installed; else plinth-clients below the directory for temporary files
  --dry             writes neither the table in docs/COMPATIBILITY.md nor recordings
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    directory: { type: "string", default: join(tmpdir(), "plinth-clients") },
    dry: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}
const directory = resolve(values.directory);
/** A whole id is that client alone. */
const isChosen = (id: string, word: string) =>
  clients.some((client) => client.id === word) ? id === word : id.includes(word);
const chosen = clients.filter(
  ({ id }) => positionals.length === 0 || positionals.some((word) => isChosen(id, word)),
);

if (!isClosed()) {
  mkdirSync(directory, { recursive: true });
  // Started as root, Postgres runs as another account, which must be able to pass.
  chmodSync(directory, 0o711);
  for (const client of chosen) await install(directory, client);
  const code = await runClosed([import.meta.filename, ...process.argv.slice(2)]);
  if (code !== undefined) process.exit(code);
  process.stdout.write(
    "This machine cannot close the network around a program: proxies that lead nowhere.\n",
  );
}
const tried = await tryClients(directory, chosen, { record: !values.dry });
if (!values.dry) writeTable(clients, tried);
finish(
  sum(
    tried.map(({ flows, missing }) => {
      const passed = flows.filter(({ ok }) => ok).length;
      return { passed, failed: flows.length - passed, skipped: missing === undefined ? 0 : 1 };
    }),
  ),
);
