// `plinth rotate-master-key`: a new key for what is encrypted, all else put under it, and the end of an old one.
import { join } from "node:path";
import { ExitError } from "../../kernel/base/failure.ts";
import { plural } from "../../kernel/base/plural.ts";
import { openLocalBlobs } from "../../kernel/blob/local.ts";
import { openSecrets, type Keyring } from "../../kernel/secret/keyring.ts";
import { countSigned, signAgain } from "../audit/module.ts";
import { storeIdOf } from "../operations/module.ts";
import { countSealed, resealAll } from "../resealing/module.ts";
import { openMigratedDatabase } from "../serve.ts";
import { loadServerSettings, serveOptionsOf, type Flags } from "./settings.ts";

type Settings = ReturnType<typeof loadServerSettings>;

export async function rotateMasterKey({ reseal: isReseal, drop, ...flags }: Flags): Promise<void> {
  const settings = loadServerSettings(flags);
  if (isReseal === true && drop !== undefined)
    throw new ExitError("--reseal comes first, and --drop when it is done: name one of them.", 2);
  if (isReseal === true) return reseal(settings);
  if (typeof drop === "string") return dropKey(settings, drop);
  const { dataDir, masterKey } = settings;
  if (masterKey !== undefined)
    throw new ExitError(
      "The master key comes from PLINTH_MASTER_KEY: put the new one in front of it there, as NEW,OLD, and restart.",
    );
  const directory = join(dataDir, "secrets");
  const id = await inKeyFile(directory, async () => (await openKeys(settings)).rotate());
  say(
    `New values are encrypted under ${id}. Keep a copy of ${directory}. To put the others under it as well: plinth rotate-master-key --reseal.`,
  );
}

async function inKeyFile<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
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

const openKeys = ({ dataDir, masterKey }: Settings): Promise<Keyring> =>
  openSecrets({
    directory: join(dataDir, "secrets"),
    mayMake: false,
    ...(masterKey !== undefined && { masterKey }),
  });

async function openAll(settings: Settings) {
  const secrets = await openKeys(settings);
  const database = await openMigratedDatabase({ ...serveOptionsOf(settings), workers: 1 });
  try {
    const storeId = await storeIdOf(database.db);
    const blobs = await openLocalBlobs({
      directory: join(settings.dataDir, "blobs"),
      ...(storeId !== undefined && { storeId }),
    });
    const dispose = () => database.close();
    return { secrets, db: database.db, blobs, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Rule SEC13. */
async function reseal(settings: Settings): Promise<void> {
  await using opened = await openAll(settings);
  const { db, secrets } = opened;
  const columns = await resealAll(db, secrets);
  const signed = await signAgain(opened);
  for (const { place, resealed } of columns)
    if (resealed > 0) say(`${place}: ${plural(resealed, "value")}`);
  if (signed > 0) say(`signatures of the audit log: ${signed}`);
  const lost = columns.filter(({ unreadable }) => unreadable > 0);
  if (lost.length > 0)
    throw new ExitError(
      `No master key of this server opens ${lost.map(({ place, unreadable }) => `${plural(unreadable, "value")} of ${place}`).join(", ")}: they were left as they are. Put their key back from a backup of the secrets.`,
    );
  say(`All is under ${secrets.activeKeyId()}.`);
}

/** All that is written stands under it, so that a count of what needs it would send nowhere. */
const activeKey = ({ masterKey }: Settings, id: string) =>
  new ExitError(
    `${id} is the active master key: ${
      masterKey === undefined
        ? "run plinth rotate-master-key first, which makes another one"
        : "put a new one in front of it in PLINTH_MASTER_KEY first, as NEW,OLD, and restart"
    }, then --reseal, and drop ${id} when all is under the new one.`,
  );

/** Rule SEC14. */
async function dropKey(settings: Settings, id: string): Promise<void> {
  await using opened = await openAll(settings);
  const { db, secrets } = opened;
  if (id === secrets.activeKeyId()) throw activeKey(settings, id);
  const signed = await countSigned(opened, id);
  const places = [
    ...(await countSealed(db, id)).map(
      ({ place, values }) => `${plural(values, "value")} of ${place}`,
    ),
    ...(signed > 0 ? [`${plural(signed, "signature")} of the audit log`] : []),
  ];
  if (places.length > 0)
    throw new ExitError(
      `The master key ${id} is needed yet, for ${places.join(", ")}. Run plinth rotate-master-key --reseal first.`,
    );
  if (settings.masterKey !== undefined) {
    if (!secrets.keyIds().includes(id))
      throw new ExitError(`There is no key ${id} in PLINTH_MASTER_KEY.`);
    return say(`Nothing stands under ${id}: take it out of PLINTH_MASTER_KEY on every node.`);
  }
  const directory = join(settings.dataDir, "secrets");
  await inKeyFile(directory, () => secrets.drop(id));
  say(
    `The master key ${id} is gone from ${directory}. Backups from before need it: keep it with them.`,
  );
}

const say = (line: string) => void process.stdout.write(`${line}\n`);
