// Numbers of sandboxes.
import type { SandboxLimits } from "./provider.ts";

/** Where a sandbox finds its network, on its own loopback: no setting, so that images and scripts may name it. */
export const doorHost = "127.0.0.1";
export const doorPort = 3128;

const mib = 1024 * 1024;

/** What a sandbox gets unless its environment says less. */
export const defaultLimits: SandboxLimits = {
  processesMax: 256,
  memoryBytes: 1024 * mib,
  cpus: 1,
  workspaceBytes: 2048 * mib,
  tmpBytes: 256 * mib,
};

/** Of the sandbox in which packages of an environment are installed; of all packages on a machine. */
export const packageDefaults = {
  limits: {
    processesMax: 512,
    memoryBytes: 2048 * mib,
    cpus: 2,
    workspaceBytes: 4096 * mib,
    tmpBytes: 256 * mib,
  } satisfies SandboxLimits,
  totalBytes: 20_480 * mib,
  buildMs: 900_000,
};

export const sandboxLimits = {
  commandBytesMax: 128 * 1024,
  /** It lies in `/run` while the call lasts. */
  stdinBytesMax: 8 * mib,
  runBytes: 16 * mib,
  shmBytes: 64 * mib,
  openFilesMax: 4096,
  /** Of one machine, and how long one may be idle. */
  runningMax: 100,
  idleMs: 300_000,
  /** Of one repository of a session, with its history and its files. */
  repositoryBytesMax: 512 * mib,
  cloneSeconds: 300,
  foldersMax: 32,
  folderPathBytesMax: 200,
  /** Setting up takes some 20 ms. */
  startMs: 10_000,
  /** After SIGKILL: the kernel takes the time it needs for what waits for a disk. */
  endMs: 10_000,
};
