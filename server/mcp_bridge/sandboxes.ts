// The sandboxes of a bridge's commands: what they may reach, and, for a bridge by itself, where they lie.
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ExitError } from "../../kernel/base/failure.ts";
import { makeKeyedQueues } from "../../kernel/base/keyed-queues.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import type { World } from "../../kernel/context.ts";
import { tryLock } from "../../kernel/sql/embedded/lock.ts";
import {
  doorLimits,
  inWords,
  makeDoor,
  openSandboxes,
  SandboxError,
  sandboxSettingsOf,
  shown,
  type NetworkPolicy,
  type SandboxNetwork,
  type SandboxProvider,
} from "../sandboxes/module.ts";
import type { SandboxMaker } from "./behind/sandboxed.ts";
import { limits } from "./limits.ts";

interface Networks {
  world: Pick<World, "clock" | "sections" | "logger">;
  policy: NetworkPolicy;
  ruledBy: { by: string; mend: string };
  /** What a command wanted to reach and did not. */
  onRefused(host: string): void;
}

/** A door for each sandbox. */
export function makeNetworks(networks: Networks): () => SandboxNetwork {
  const { world, policy, ruledBy, onRefused } = networks;
  const lookUps = makeKeyedQueues(doorLimits.lookUpsMax);
  return () =>
    makeDoor({
      world,
      policy: () => Promise.resolve(policy),
      ruledBy,
      onRefused: ({ host, port }) => onRefused(`${shown(host)}:${port}`),
      inTurn: (work) => lookUps.run("all", work),
    });
}

interface OwnSandboxes extends Pick<World, "clock" | "random"> {
  /** Of all bridges of one person on this machine. */
  directory: string;
  sections: Readonly<Record<string, unknown>>;
  policy: NetworkPolicy;
  folders: readonly string[];
  note(line: string): void;
  onErrors(bytes: Buffer): void;
}

/** Of a bridge that is a program by itself. What one left that was killed goes when the next one begins. */
export async function openOwnSandboxes(
  options: OwnSandboxes,
): Promise<{ maker: SandboxMaker; close(): Promise<void> }> {
  const { clock, random, sections, policy, folders, note, onErrors } = options;
  for (const folder of folders)
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new ExitError(`--folder: ${folder} is no directory here.`, 2);
  const { place, unlock } = takePlace(options.directory);
  let provider: SandboxProvider;
  try {
    provider = await openSandboxes({ clock, random, dataDirectory: place, sections });
    const probe = await provider.probe();
    if (!probe.ok) throw new SandboxError(inWords(probe));
    provider.layers.newSandboxId(); // where sandboxes run no programs, this says so
  } catch (error) {
    unlock();
    if (!(error instanceof SandboxError)) throw error;
    throw new ExitError(
      `The command has no sandbox here: ${error.message} With --no-sandbox it runs as you do, with all that you may.`,
      1,
      error,
    );
  }
  for (const id of await provider.list()) await provider.destroy(id);
  const told = new Set<string>();
  const network = makeNetworks({
    world: { clock, sections, logger: silentLogger },
    policy,
    ruledBy: { by: "the bridge", mend: "Who runs the bridge may add it with --hosts." },
    onRefused(host) {
      if (told.has(host) || told.size >= limits.refusalsToldMax) return;
      told.add(host);
      note(`The command may not reach ${host}.\n`);
    },
  });
  const { limits: sizes } = sandboxSettingsOf({ sections });
  return {
    maker: { provider: async () => provider, limits: sizes, network, folders, onErrors },
    async close() {
      await provider.close();
      unlock();
    },
  };
}

/** The first that no other bridge has. */
function takePlace(directory: string): { place: string; unlock(): void } {
  for (let number = 1; ; number += 1) {
    const place = join(directory, String(number));
    try {
      mkdirSync(place, { recursive: true, mode: 0o700 });
    } catch (error) {
      const { message } = error as Error;
      throw new ExitError(`${place} cannot be made (${message}): name another --directory.`, 1);
    }
    const unlock = tryLock(join(place, "bridge.lock"));
    if (unlock !== undefined) return { place, unlock };
  }
}
