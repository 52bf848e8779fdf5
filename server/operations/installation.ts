// Which blobs and which master key belong to this database.
import assert from "node:assert/strict";
import { ExitError } from "../../kernel/base/failure.ts";
import { DecryptionError } from "../../kernel/secret/keyring.ts";
import type { Secrets } from "../../kernel/secret/secrets.ts";
import type { Database } from "../../kernel/sql/database.ts";
import * as queries from "./queries.ts";

/** What is encrypted to know the master key again, and what that is bound to. */
export const keyCheck = "installation";

/** The blobs that go with this database; undefined before its first start. */
export const storeIdOf = async (db: Database): Promise<string | undefined> =>
  (await queries.readInstallation(db))?.store_id;

/** Written once, compared at every start: gives the id that the blob directory must have. */
export async function claimInstallation(
  db: Database,
  secrets: Secrets,
  storeId: string,
  at: Date,
): Promise<string> {
  const row = await db.tx(async (tx) => {
    const mine = { store_id: storeId, key_check: secrets.encrypt(keyCheck, keyCheck) };
    await queries.insertInstallation(tx, mine, at);
    return queries.readInstallation(tx);
  });
  assert(row !== undefined, "the installation row is gone");
  expectKeyOf(row, secrets);
  return row.store_id;
}

/** Refuses a master key that this database was not set up with; before its first start there is none. */
export async function expectMasterKey(db: Database, secrets: Secrets): Promise<void> {
  const row = await queries.readInstallation(db);
  if (row !== undefined) expectKeyOf(row, secrets);
}

function expectKeyOf({ key_check }: { key_check: string }, secrets: Secrets): void {
  try {
    secrets.decrypt(key_check, keyCheck);
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    throw new ExitError(
      "The master key is not the one that this database was set up with. Put " +
        "secrets/master-keys.json back from a backup, or set PLINTH_MASTER_KEY as on the other nodes.",
      1,
      error,
    );
  }
}
