// The sandboxes of the commands of a bridge that is a program by itself: where they lie, and what they may reach.
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ExitError } from "../../kernel/base/failure.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import type { World } from "../../kernel/context.ts";
import { tryLock } from "../../kernel/sql/embedded/lock.ts";
import {
  inWords,
  makeFixedDoors,
  openSandboxes,
  SandboxError,
  sandboxSettingsOf,
  shown,
  type NetworkPolicy,
  type SandboxProvider,
} from "../sandboxes/module.ts";
import type { SandboxMaker } from "./behind/sandboxed.ts";

interface OwnSandboxes extends Pick<World, "clock" | "random"> {
  /** Of all bridges of one person on this machine. */
  directory: string;
  sections: Readonly<Record<string, unknown>>;
  policy: NetworkPolicy;
  folders: readonly string[];
  note(line: string): void;
  onErrors(bytes: Buffer): void;
}

/** Of a bridge that is a program by itself. What one left that was killed goes as they are opened. */
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
  const doorOf = makeFixedDoors({
    world: { clock, sections, logger: silentLogger },
    policy,
    ruledBy: { by: "the bridge", mend: "Who runs the bridge may add it with --hosts." },
    onRefused: ({ host, port }) => note(`The command may not reach ${shown(host)}:${port}.\n`),
  });
  const { limits: sizes } = sandboxSettingsOf({ sections });
  return {
    maker: {
      provider: async () => provider,
      limits: sizes,
      network: () => doorOf("bridge"),
      folders,
      onErrors,
    },
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
