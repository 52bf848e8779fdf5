// `plinth rotate-master-key`: a new key for what is encrypted from now on.
import { join } from "node:path";
import { ExitError } from "../../kernel/base/failure.ts";
import { openSecrets } from "../../kernel/secret/keyring.ts";
import { loadServerSettings, type Flags } from "./settings.ts";

export async function rotateMasterKey(flags: Flags): Promise<void> {
  const { dataDir, masterKey } = loadServerSettings(flags);
  if (masterKey !== undefined)
    throw new ExitError(
      "The master key comes from PLINTH_MASTER_KEY: put the new one in front of it there, as NEW,OLD, and restart.",
    );
  const directory = join(dataDir, "secrets");
  const id = await rotateIn(directory);
  process.stdout.write(`New values are encrypted under ${id}. Keep a copy of ${directory}.\n`);
}

async function rotateIn(directory: string): Promise<string> {
  try {
    const secrets = await openSecrets({ directory, mayMake: false });
    return await secrets.rotate();
  } catch (error) {
    // Errors of the file system have a code; all others are a sentence already, or a bug.
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new ExitError(
      `The master keys in ${directory} cannot be changed (${error.message}): run this as the user that the server runs as.`,
      1,
      error,
    );
  }
}
