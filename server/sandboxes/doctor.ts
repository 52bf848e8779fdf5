// What `plinth doctor` says of sandboxes: how they are made here, and one line for each guarantee.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { ok, warn, type DoctorCheck } from "../../kernel/observe/doctor/check.ts";
import type { World } from "../../kernel/context.ts";
import { openProvider } from "./open.ts";
import { guaranteeNames, type Probe, SandboxError } from "./provider.ts";
import { sandboxSettingsOf } from "./settings.ts";

export async function checkSandboxes(
  world: Pick<World, "sections"> & { dataDir: string },
): Promise<DoctorCheck[]> {
  const { dataDir } = world;
  // Where the server would have them, unless that is not there: to ask makes no data directory.
  const parent = existsSync(dataDir) ? dataDir : tmpdir();
  const directory = await mkdtemp(join(parent, "doctor-sandboxes-"));
  try {
    const opening = { clock: systemClock, random: systemRandom, directory };
    const provider = await openProvider(opening, sandboxSettingsOf(world));
    const probe = await provider.probe();
    await provider.close();
    return linesOf(probe);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return [warn("sandboxes", error.message, "Set sandbox.provider to auto.")];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const levels = { enforced: "enforced", best_effort: "best effort", none: "not held" } as const;

function linesOf({ reason, mend, guarantees }: Probe): DoctorCheck[] {
  const line = (name: string, found: string, advice: string | undefined) =>
    advice === undefined ? ok(name, found) : warn(name, found, advice);
  return [
    line("sandboxes", reason, mend),
    ...guaranteeNames.map((name) => {
      const { level, reason: why, mend: advice } = guarantees[name];
      return line(`sandbox ${name}`, `${levels[level]}: ${why}`, advice);
    }),
  ];
}
