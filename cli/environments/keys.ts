// `plinth environments keys …`: what workers of a self-hosted environment come in with.
import type { EnvironmentKey } from "../../contract/types.ts";
import { confirm } from "../confirm.ts";
import type { YesFlags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { formatDate, printResult } from "../print-result.ts";
import type { Terminal } from "../terminal.ts";
import { askWithKey, printPage, type PageFlags } from "../workspace-calls.ts";
import type { NewKeyFlags } from "./options.ts";

const keyNames = ["PLINTH_API_KEY", "PLINTH_ADMIN_KEY"] as const;

export async function createKey(terminal: Terminal, id: string, flags: NewKeyFlags): Promise<void> {
  const { name } = flags;
  const input = { params: { environment_id: id }, body: { name } };
  const made = await askWithKey(terminal, flags, keyNames, (client) =>
    client.environments.keys.create(input),
  );
  const { secret, ...facts } = made;
  printResult(terminal, flags, { environment_key: secret, ...facts }, () => `${secret}\n`);
  if (flags.json !== true)
    terminal.note(`${terminal.dim(`${made.id}: it is shown this once; keep it safe.`)}\n`);
}

export async function listKeys(terminal: Terminal, id: string, flags: PageFlags): Promise<void> {
  const { limit, page: cursor } = flags;
  const input = { params: { environment_id: id }, query: { limit, page: cursor } };
  const page = await askWithKey(terminal, flags, keyNames, (client) =>
    client.environments.keys.list(input),
  );
  printPage(terminal, flags, page, {
    titles: ["ID", "NAME", "KEY", "CREATED", "REVOKED"],
    row: (key) => [
      key.id,
      nameOf(key),
      key.partial_key_hint,
      formatDate(key.created_at),
      formatDate(key.revoked_at),
    ],
    none: "The environment has no keys.",
  });
}

const nameOf = ({ name }: EnvironmentKey) => (name === null ? "-" : escapeControls(name));

export async function revokeKey(
  terminal: Terminal,
  id: string,
  keyId: string,
  flags: YesFlags,
): Promise<void> {
  if (flags.yes !== true) {
    terminal.note(
      `${keyId} of ${id}\nWorkers that use it are refused within a second. That cannot be undone.\n`,
    );
    await confirm(terminal, "Revoke?", "Nothing was revoked.");
  }
  const params = { environment_id: id, environment_key_id: keyId };
  const revoked = await askWithKey(terminal, flags, keyNames, (client) =>
    client.environments.keys.revoke({ params }),
  );
  printResult(terminal, flags, revoked, () => `revoked ${keyId}\n`);
}
