// `plinth rotate-master-key`: a new key for what is sealed from now on.
import { join } from "node:path";
import { Refusal } from "../../kernel/base/failure.ts";
import { openSecrets } from "../../kernel/secret/keyring.ts";
import { settingsOf, type Flags } from "./settings.ts";

export async function rotate(flags: Flags): Promise<void> {
  const { dataDir, masterKey } = settingsOf(flags);
  if (masterKey !== undefined)
    throw new Refusal(
      "The master key comes from PLINTH_MASTER_KEY: put the new one in front of it there, as NEW,OLD, and restart.",
    );
  const secrets = await openSecrets({ directory: join(dataDir, "secrets") });
  const id = await secrets.rotate();
  process.stdout.write(`New values are sealed under ${id}. Keep a copy of ${dataDir}/secrets.\n`);
}
