// The command-line client: speaks only HTTP, through the generated client.
import type { Command } from "commander";
import { addBatch } from "./batch.ts";
import { addFiles } from "./files.ts";
import { addMemory } from "./memory.ts";
import { addMessage } from "./message.ts";
import { urlOption } from "./options.ts";
import { clientOf, speak } from "./speak.ts";
import type { Terminal } from "./terminal.ts";

export { CliError } from "./terminal.ts";
export { thisTerminal } from "./this-terminal.ts";

export function addCommands(plinth: Command, terminal: Terminal): void {
  plinth
    .command("whoami")
    .description("say which organization the key in PLINTH_API_KEY or PLINTH_ADMIN_KEY belongs to")
    .option(...urlOption)
    .option("--json", "print one JSON object")
    .action((flags: { url?: string; json?: boolean }) => whoami(terminal, flags));
  addMessage(plinth, terminal);
  addBatch(plinth, terminal);
  addFiles(plinth, terminal);
  addMemory(plinth, terminal);
}

async function whoami(terminal: Terminal, flags: { url?: string; json?: boolean }): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_ADMIN_KEY", "PLINTH_API_KEY"]);
  const organization = await speak(client, () => client.organizations.me());
  terminal.write(
    flags.json === true
      ? `${JSON.stringify(organization)}\n`
      : `${organization.name}  ${organization.id}\n`,
  );
}
