// `plinth memory create`: a store without memories.
import type { CreateFlags } from "./options.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import type { Terminal } from "../terminal.ts";
import { nextCommand } from "./memory-address.ts";

export async function create(terminal: Terminal, name: string, flags: CreateFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const { description } = flags;
  const body = { name, ...(description !== undefined && { description }) };
  const store = await withServerErrors(client, () => client.memory_stores.create({ body }));
  if (flags.json === true) {
    terminal.write(`${JSON.stringify(store)}\n`);
    return;
  }
  terminal.write(`${store.id}\n`);
  if (flags.quiet !== true)
    terminal.note(
      `${terminal.dim(`Write to it: ${nextCommand(["put", `${name}:/first.md`, "FILE"], flags)}`)}\n`,
    );
}
