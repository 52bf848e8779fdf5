// What a sandbox is made of, before it is made.
import type { SandboxFolder, SandboxLimits } from "../../provider.ts";
import type { Machine } from "../system_calls/numbers.ts";

export interface Plan {
  machine: Machine;
  /** An empty directory over which the root of the sandbox is put together, in a mount namespace of its own. */
  stage: string;
  /** Of the session; without one it is the server's own, which is not root. */
  owner?: number;
  /** The server's uid and gid. */
  server: { uid: number; gid: number };
  /** `/`, or a directory with another system's `usr` and `etc`. */
  rootfs: string;
  workspace: Workspace;
  /** Outer ones before those that lie in them. */
  folders: readonly PlannedFolder[];
  /** Where the layer lies that one of the folders shows. */
  layer?: Workspace;
  /** At the root, by their names: where each leads. */
  links: Readonly<Record<string, string>>;
  /** A directory with `files`, the programs that the server brings, and `empty` in it, where there are any. */
  programs?: string;
  limits: SandboxLimits;
  /** Limits of single processes, where no cgroup holds all of them together. */
  isWithoutMemoryCgroup: boolean;
  /** Whether the server listens inside, for connections to the world. */
  hasDoor: boolean;
  hasSecondShell: boolean;
  env: Readonly<Record<string, string>>;
}

export interface PlannedFolder extends Pick<SandboxFolder, "path"> {
  kind: SandboxFolder["kind"] | "layer";
}

/**
 * A file system in a file, which cannot grow; or a directory with `files`, `folders` and what overlayfs needs in it. It
 * puts them together under names relative to it: a plain bind would show its whole path in /proc/self/mountinfo.
 */
export type Workspace = { image: string; loop: number } | { directory: string; isPlain: boolean };

/** Who an agent is inside. */
export const insideId = 1000;
