// Which means of isolation the kernel offers; looked up, and tried only with a process that ends at
// once.
import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { kernelFile, ok, warn, type DoctorCheck } from "./check.ts";

export interface SandboxMachine {
  /** Before /proc and /sys. */
  root: string;
  path: string;
}

const tryMs = 3_000;

/** None of these is needed to start: without them only agents in local sandboxes are missing. */
export async function checkSandbox({ root, path }: SandboxMachine): Promise<DoctorCheck[]> {
  return await Promise.all([
    checkUserNamespaces(root, path),
    checkCgroups(root),
    checkSeccomp(root),
    checkOverlay(root),
    checkBubblewrap(path),
  ]);
}

async function checkUserNamespaces(root: string, path: string): Promise<DoctorCheck> {
  const name = "user namespaces";
  const read = (file: string) => kernelFile(`${root}/proc/sys/${file}`);
  const most = await read("user/max_user_namespaces");
  if (most === undefined) return warn(name, "This kernel has none", "Run on Linux for sandboxes.");
  if (most === "0") return warn(name, "Switched off", "sysctl user.max_user_namespaces=10000");
  if ((await read("kernel/unprivileged_userns_clone")) === "0")
    return warn(name, "Only for root", "sysctl kernel.unprivileged_userns_clone=1");
  const unshare = await findProgram("unshare", path);
  if (unshare === undefined)
    return warn(name, `${most} allowed, not tried`, "Install util-linux, so that it can be tried.");
  const failure = await tryProgram(unshare, [
    "--user",
    "--map-root-user",
    "--mount",
    "--pid",
    "--fork",
    "true",
  ]);
  if (failure === undefined) return ok(name, `${most} allowed, one made`);
  const byAppArmor = (await read("kernel/apparmor_restrict_unprivileged_userns")) === "1";
  const mend = byAppArmor
    ? "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or a profile for plinth."
    : "In a container, allow unshare (seccomp profile), or run the server on the host.";
  return warn(name, `Refused: ${failure}`, mend);
}

async function checkCgroups(root: string): Promise<DoctorCheck> {
  const controllers = await kernelFile(`${root}/sys/fs/cgroup/cgroup.controllers`);
  const mend = "Boot with systemd.unified_cgroup_hierarchy=1, or hand a cgroup to the service.";
  if (controllers === undefined) return warn("cgroups", "No cgroup v2", mend);
  const missing = ["memory", "pids", "cpu"].filter(
    (each) => !controllers.split(" ").includes(each),
  );
  return missing.length > 0
    ? warn("cgroups", `Version 2 without ${missing.join(", ")}`, mend)
    : ok("cgroups", `Version 2 with ${controllers}`);
}

async function checkSeccomp(root: string): Promise<DoctorCheck> {
  const actions = await kernelFile(`${root}/proc/sys/kernel/seccomp/actions_avail`);
  return actions?.includes("errno")
    ? ok("seccomp", actions)
    : warn("seccomp", "No filters", "Use a kernel with CONFIG_SECCOMP_FILTER.");
}

async function checkOverlay(root: string): Promise<DoctorCheck> {
  const systems = (await kernelFile(`${root}/proc/filesystems`)) ?? "";
  return /\boverlay$/m.test(systems)
    ? ok("overlay", "The kernel has overlayfs")
    : warn("overlay", "No overlayfs", "modprobe overlay");
}

async function checkBubblewrap(path: string): Promise<DoctorCheck> {
  const bwrap = await findProgram("bwrap", path);
  return bwrap === undefined
    ? warn("bubblewrap", "Not installed", "apt-get install bubblewrap, or your system's package.")
    : ok("bubblewrap", bwrap);
}

async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const directory of path.split(":").filter((each) => each.startsWith("/"))) {
    const candidate = `${directory}/${name}`;
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  return undefined;
}

/** What went wrong, in the program's own first line, or undefined. */
function tryProgram(file: string, words: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(file, words, { timeout: tryMs, killSignal: "SIGKILL" }, (error, _, stderr) => {
      if (!error) return resolve(undefined);
      resolve(error.killed ? "it took too long" : stderr.split("\n")[0] || "it failed");
    });
  });
}
