// The provider that this machine's sandboxes come from, by the settings.
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "../../kernel/context.ts";
import { openDocker } from "./docker/provider.ts";
import { openLinux } from "./linux/provider.ts";
import {
  guaranteeNames,
  inWords,
  SandboxError,
  type Guarantee,
  type Probe,
  type SandboxProvider,
} from "./provider.ts";
import { type SandboxSettings, sandboxSettingsOf } from "./settings.ts";
import { openVirtual } from "./virtual/provider.ts";

type OpeningWorld = Pick<World, "clock" | "random" | "dataDirectory" | "sections">;

const directoryOf = ({ dataDirectory }: Pick<World, "dataDirectory">) =>
  join(dataDirectory, "sandboxes");

/** Throws where the settings ask for what this machine does not have. */
export async function openSandboxes(world: OpeningWorld): Promise<SandboxProvider> {
  const { require: required, ...settings } = sandboxSettingsOf(world);
  const provider = await openProvider({ ...world, directory: directoryOf(world) }, settings);
  const fault = missingOf(await provider.probe(), required);
  if (fault === undefined) return provider;
  await provider.close();
  throw new SandboxError(fault);
}

/** `auto` is `linux` on Linux, also where its sandboxes cannot be made: nothing weaker takes their place unasked. */
export async function openProvider(
  { clock, random, directory }: Pick<World, "clock" | "random"> & { directory: string },
  { provider, rootfs, docker }: Pick<SandboxSettings, "provider" | "rootfs" | "docker">,
): Promise<SandboxProvider> {
  const isLinux = process.platform === "linux";
  if (provider === "virtual" || (provider === "auto" && !isLinux))
    return await openVirtual({ clock, random, directory });
  if (!isLinux)
    throw new SandboxError(
      `Sandboxes of the provider ${provider} are made on Linux alone; virtual ones are made here.`,
    );
  if (provider === "docker") {
    if (docker !== undefined)
      return await openDocker({ clock, random, directory, settings: docker });
    throw new SandboxError("Set sandbox.docker.image: containers are made from an image.");
  }
  return await openLinux({ clock, random, directory, rootfs });
}

export interface SandboxSummary extends Probe {
  provider: string;
}

/** What this machine has, where a provider cannot be opened as well. */
export async function summaryOf(opening: Promise<SandboxProvider>): Promise<SandboxSummary> {
  try {
    const provider = await opening;
    return { provider: provider.name, ...(await provider.probe()) };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const nothing: Guarantee = { level: "none", reason: "No sandbox can be made here." };
    const guarantees = Object.fromEntries(guaranteeNames.map((name) => [name, nothing]));
    return {
      provider: "none",
      ok: false,
      reason: error.message,
      guarantees: guarantees as Probe["guarantees"],
    };
  }
}

/** Opened to look, and closed again. */
export async function summarizeSandboxes(world: OpeningWorld): Promise<SandboxSummary> {
  const opening = openSandboxes(world);
  const summary = await summaryOf(opening);
  const provider = await opening.catch(() => undefined);
  await provider?.close();
  return summary;
}

/** One line for people. */
export const summaryLine = (summary: SandboxSummary): string =>
  summary.ok ? `${summary.provider}: ${summary.reason}` : `none: ${inWords(summary)}`;

/** The first guarantee that is asked for and not held, in a sentence; undefined where all are. */
export function missingOf(
  { guarantees }: Probe,
  required: readonly (keyof Probe["guarantees"])[],
): string | undefined {
  const missing = required.find((name) => guarantees[name].level !== "enforced");
  if (missing === undefined) return undefined;
  const guarantee = guarantees[missing];
  const held =
    guarantee.level === "none" ? "is not held" : "is held as well as it goes, not enforced";
  return `The guarantee ${missing} ${held} on this machine: ${inWords(guarantee)}`;
}

/** Names the directory of workspaces, for as long as that is there. */
export function hostIdOf(world: Pick<World, "dataDirectory" | "ids">): string {
  const directory = directoryOf(world);
  const file = join(directory, "host-id");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (;;)
    try {
      return readFileSync(file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      claimHostId(file, world.ids.next("host_"));
    }
}

/** Whole or not there, whenever this process is killed. Where another process was faster its name is read. */
function claimHostId(file: string, id: string): void {
  const unfinished = `${file}-${id}`;
  writeFileSync(unfinished, id, { mode: 0o600, flush: true });
  try {
    linkSync(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(unfinished);
  }
}
