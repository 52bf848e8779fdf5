// Opens everything that a process needs, in order, and closes it in reverse.
import { join } from "node:path";
import { systemClock } from "../kernel/base/clock.ts";
import { makeDirectory } from "../kernel/base/directory.ts";
import { makeIds } from "../kernel/base/ids.ts";
import type { Logger } from "../kernel/base/logger.ts";
import { systemRandom } from "../kernel/base/random.ts";
import { systemTxtLookup } from "../kernel/base/dns-txt.ts";
import { openLocalBlobs } from "../kernel/blob/local.ts";
import type { ServerFacts, World } from "../kernel/context.ts";
import { openOutsideConnections } from "../kernel/http/outside/connections.ts";
import { observe, type TracingSettings } from "../kernel/observe/tracing/observe.ts";
import { openPeers } from "../kernel/observe/peers.ts";
import { openSecrets } from "../kernel/secret/keyring.ts";
import { makePasswords } from "../kernel/secret/passwords.ts";
import type { ConnectionSettings } from "../kernel/sql/connection.ts";
import type { Database } from "../kernel/sql/database.ts";
import { openHints } from "../kernel/sql/hints.ts";
import { adoptBlobs } from "./commands/lost-blobs.ts";
import { claimInstallation, expectMasterKey, storeIdOf } from "./operations/module.ts";
import { version } from "../kernel/base/version.ts";

export interface WorldOptions {
  dataDirectory: string;
  publicUrl: string;
  masterKey: string | undefined;
  metricsToken: string | null;
  /** Null or left out: no traces. */
  tracing?: TracingSettings | null;
  /** Where other machines of this server reach it. */
  peerAddress?: string | undefined;
  workers: number;
  proxies?: number;
  /** An empty blob directory becomes this database's. */
  adoptBlobs?: boolean;
  /** Parts of the settings that belong to nouns, by name. */
  sections?: Readonly<Record<string, unknown>>;
  logger: Logger;
  database: {
    kind: "embedded" | "external";
    serverVersion: string;
    db: Database;
    connection: ConnectionSettings;
  };
}

export interface OpenWorld {
  world: World;
  /** Everything but the database, which its opener closes. */
  close(): Promise<void>;
}

/** The parts that a test may set. */
export type WorldOverrides = Partial<
  Pick<World, "clock" | "random" | "ids" | "passwords" | "sections" | "lookUpTxt">
>;

export async function openWorld(
  options: WorldOptions,
  parts: WorldOverrides = {},
): Promise<OpenWorld> {
  const { dataDirectory, logger, database, masterKey } = options;
  const { clock = systemClock, random = systemRandom } = parts;
  makeDirectory(dataDirectory, 0o700);
  const expected = await storeIdOf(database.db);
  const secrets = await openSecrets({
    directory: join(dataDirectory, "secrets"),
    mayMake: expected === undefined,
    random,
    clock,
    ...(masterKey !== undefined && { masterKey }),
  });
  await expectMasterKey(database.db, secrets);
  if (options.adoptBlobs === true && expected !== undefined)
    await adoptBlobs(expected, dataDirectory);
  const blobs = await openLocalBlobs({
    directory: join(dataDirectory, "blobs"),
    ...(expected !== undefined && { storeId: expected }),
    clock,
    random,
  });
  const storeId = await claimInstallation(database.db, secrets, blobs.storeId, clock.now());
  blobs.checkStoreId(storeId);
  const hints = await openHints(database.connection, { logger, clock, random });
  const outside = openOutsideConnections();
  const { metrics, instruments, closeObserving } = observe(
    { ...options, version },
    { clock, random },
  );
  const ids = parts.ids ?? makeIds(clock, random);
  const sections = parts.sections ?? options.sections ?? {};
  const { publicUrl } = options;
  const { db } = database;
  return {
    world: {
      clock,
      random,
      ids,
      logger,
      db,
      hints,
      blobs,
      dataDirectory,
      segmentOptions: { directory: join(dataDirectory, "blobs", "tails") },
      busOptions: { directory: dataDirectory, address: options.peerAddress ?? null },
      secrets,
      passwords: parts.passwords ?? makePasswords(),
      lookUpTxt: parts.lookUpTxt ?? systemTxtLookup,
      outside,
      metrics,
      instruments,
      peers: openPeers(),
      server: factsOf(options, clock.now()),
      publicUrl,
      sections,
    },
    close: async () => {
      outside.close();
      await hints.close();
      await closeObserving();
    },
  };
}

const factsOf = (options: WorldOptions, startedAt: Date): ServerFacts => ({
  version,
  startedAt,
  database: { kind: options.database.kind, version: options.database.serverVersion },
  workers: options.workers,
  proxies: options.proxies ?? 0,
  isDraining: false,
  isDrainOver: false,
  metricsToken: options.metricsToken,
});
