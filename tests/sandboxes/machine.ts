// What tests of sandboxes need of the machine: an ordinary user, directories, which launchers are there.
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { unmountBelow } from "../../server/sandboxes/workspaces/mounts.ts";

const here = join(import.meta.dirname, "../test-timeout.ts");

export const isRoot = process.getuid?.() === 0;
/** `nobody`, who owns nothing. */
export const ordinaryUser = 65534;

/** Where it is not installed, what is said of it was not tried. */
export const launchersHere = (["direct", "bwrap"] as const).filter(
  (launcher) => launcher === "direct" || existsSync("/usr/bin/bwrap"),
);

export function asUser(words: readonly string[]): [program: string, args: string[]] {
  const ids = ["--reuid", `${ordinaryUser}`, "--regid", `${ordinaryUser}`, "--clear-groups"];
  return ["setpriv", [...ids, "--", ...words]];
}

/** Why nothing can be run as one; false where it can. */
export const userFault = isRoot ? findUserFault() : false;

function findUserFault(): string | false {
  const [program, args] = asUser([process.execPath, "-e", `require(${JSON.stringify(here)})`]);
  const { status, error } = spawnSync(program, args, { cwd: "/", stdio: "ignore" });
  if (error !== undefined) return "setpriv is not installed";
  return status === 0 ? false : "an ordinary user may not read this folder";
}

/** Of this run alone, removed after it. */
export function temporaryDirectory(owner?: number): string {
  const directory = mkdtempSync(join(tmpdir(), "plinth-sandboxes-"));
  if (owner !== undefined) chownSync(directory, owner, owner);
  after(async () => {
    if (!isRoot) execFileSync("chmod", ["-R", "u+rwx", directory]);
    // What a provider has mounted there is its own to let go of, and it may be closed after this.
    await unmountBelow(directory);
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}
