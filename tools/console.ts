// The console's bundle: built when it is missing or older than what it is made of.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** True when it is there and fresh, or when there is nothing to build. */
export function ensureConsole(): boolean {
  if (!existsSync(join(root, "console/index.html"))) return true;
  const built = join(root, "console/dist/index.html");
  const sources = ["console", "contract", "package-lock.json"].map((path) => newest(path));
  if (existsSync(built) && statSync(built).mtimeMs >= Math.max(...sources)) return true;
  process.stdout.write("building the console\n");
  const { status } = spawnSync(process.execPath, [join(root, "tools/prepare.ts")], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return status === 0;
}

function newest(path: string): number {
  const full = join(root, path);
  if (!existsSync(full)) return 0;
  if (!statSync(full).isDirectory()) return statSync(full).mtimeMs;
  const names = readdirSync(full).filter((name) => name !== "dist" && name !== "node_modules");
  return Math.max(0, ...names.map((name) => newest(join(path, name))));
}
