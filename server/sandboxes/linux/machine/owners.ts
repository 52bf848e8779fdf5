// Who a session is on the host, where the server is root: a uid of its own, so that no sandbox could touch another's
// files or processes even if it got out.
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../../../../kernel/base/random.ts";

/** systemd's list of uids calls this range unused; users, containers and dynamic services have theirs below. */
export const ownersFrom = 1_879_048_192;
const ownersMax = 1_000_000;

export interface Owners {
  /** Nobody else has it until it is given back; the session's directory remembers it. */
  claim(sessionDirectory: string): Promise<number>;
  of(sessionDirectory: string): Promise<number | undefined>;
  giveBack(owner: number): Promise<void>;
}

export function makeOwners(directory: string, random: Random): Owners {
  const claimFile = (owner: number) => join(directory, `${owner}`);
  return {
    async claim(sessionDirectory) {
      for (;;) {
        const owner = ownersFrom + Math.floor(random.fraction() * ownersMax);
        try {
          await mkdir(claimFile(owner));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
          throw error;
        }
        await writeFile(join(sessionDirectory, "owner"), `${owner}`, { mode: 0o600 });
        return owner;
      }
    },
    async of(sessionDirectory) {
      try {
        return Number(await readFile(join(sessionDirectory, "owner"), "utf8"));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    giveBack: async (owner) => await rmdir(claimFile(owner)),
  };
}
