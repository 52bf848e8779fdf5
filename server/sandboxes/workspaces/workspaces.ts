// Where `/workspace` of each session lies on the host, and whose it is.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Random } from "../../../kernel/base/random.ts";
import type { Images } from "./images.ts";

/** From the one that holds most: see `Workspace` in program/plan-types.ts. */
export const workspaceKinds = ["image", "overlay", "plain"] as const;
export type WorkspaceKind = (typeof workspaceKinds)[number];

export interface Stored {
  directory: string;
  /** Undefined where the server is not root. */
  owner: number | undefined;
  isImage: boolean;
}

export interface Workspaces {
  /** What is there already stays as it is. */
  make(sessionId: string, bytes: number, kind: WorkspaceKind): Promise<Stored>;
  /** Only when no process of the session is left. */
  remove(sessionId: string): Promise<void>;
  list(): Promise<string[]>;
  /** What servers made to see what works or to keep as a layer, and some did not live to remove. */
  listPassing(): Promise<string[]>;
  /** Takes it from the session and leaves it in that place, with its owner; false where something stands there. */
  moveTo(sessionId: string, place: string): Promise<boolean>;
  /** What lies in a place where `moveTo` has put it. */
  at(place: string): Promise<Stored | undefined>;
  removeAt(place: string): Promise<void>;
}

export function makeWorkspaces(
  directory: string,
  { isRoot, images, random }: { isRoot: boolean; images: Images | undefined; random: Random },
): Workspaces {
  const owners = makeOwners(join(directory, "owners"), random);
  const sessions = join(directory, "sessions");

  const at = async (place: string): Promise<Stored | undefined> => {
    if (!existsSync(place)) return undefined;
    const owner = isRoot ? await owners.of(place) : undefined;
    return { directory: place, owner, isImage: existsSync(join(place, imageName)) };
  };

  const find = (sessionId: string) => at(join(sessions, sessionId));

  const removeAt = async (place: string): Promise<void> => {
    const found = await at(place);
    if (found === undefined) return;
    // The agent may have made folders that their owner cannot enter. chmod follows no links on its way.
    if (!isRoot)
      await promisify(execFile)("chmod", ["-R", "u+rwx", "--", found.directory], { env: {} });
    await rm(found.directory, { recursive: true, force: true });
    if (found.owner !== undefined) await owners.giveBack(found.owner);
  };

  const make = async (sessionId: string, bytes: number, kind: WorkspaceKind): Promise<Stored> => {
    const found = await find(sessionId);
    if (found !== undefined) return found;
    // Complete or absent, whenever the server is killed.
    const unfinished = join(sessions, `.${sessionId}`);
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { mode: 0o700 });
    const owner = isRoot ? await owners.claim(unfinished) : undefined;
    const isImage = kind === "image" && images !== undefined;
    if (isImage) await images.place(join(unfinished, imageName), bytes);
    else await makeDirectories(unfinished, owner);
    const place = join(sessions, sessionId);
    await rename(unfinished, place);
    return { directory: place, owner, isImage };
  };

  return {
    make,
    remove: (sessionId) => removeAt(join(sessions, sessionId)),
    list: async () =>
      (await readdir(sessions)).filter((name) => !name.startsWith(".") && !isPassing(name)),
    listPassing: async () => (await readdir(sessions)).filter(isPassing),
    async moveTo(sessionId, place) {
      try {
        await rename(join(sessions, sessionId), place);
        return true;
      } catch (error) {
        const { code = "" } = error as NodeJS.ErrnoException;
        if (!["ENOTEMPTY", "EEXIST"].includes(code)) throw error;
        return false;
      }
    },
    at,
    removeAt,
  };
}

const isPassing = (sessionId: string) => /^process-\d+-[0-9a-f]+-(trial|layer)$/.test(sessionId);

export const imageName = "workspace.img";

async function makeDirectories(place: string, owner: number | undefined): Promise<void> {
  // What lies in the folders is the agent's where it may write; the directory around them is the server's.
  for (const name of ["files", "work", "empty", "folders", "folders-work"]) {
    await mkdir(join(place, name), { mode: 0o755 });
    const isServers = name.startsWith("folders");
    if (owner !== undefined && !isServers) await chown(join(place, name), owner, owner);
  }
}

/** systemd's list of uids calls this range unused; users, containers and dynamic services have theirs below. */
const ownersFrom = 1_879_048_192;
const ownersMax = 1_000_000;

interface Owners {
  /** No other session has it until it is given back; the session's directory remembers it. */
  claim(sessionDirectory: string): Promise<number>;
  of(sessionDirectory: string): Promise<number | undefined>;
  giveBack(owner: number): Promise<void>;
}

function makeOwners(directory: string, random: Random): Owners {
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
