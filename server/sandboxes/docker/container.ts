// What a container is asked to be, so that it is a sandbox.
import { environmentOf } from "../environment.ts";
import { sandboxLimits } from "../limits.ts";
import type { SandboxSpec } from "../provider.ts";

export interface DockerSettings {
  /** Where the daemon listens. */
  socket: string;
  /** It is there: the server fetches none. */
  image: string;
  /** Of those that the daemon knows; else its own choice. */
  runtime?: string;
}

/** Directories of the daemon's machine, and where they are shown. */
export interface Bind {
  source: string;
  target: string;
  isReadOnly: boolean;
}

export interface User {
  uid: number;
  gid: number;
}

export interface ContainerPlan {
  spec: SandboxSpec;
  settings: DockerSettings;
  user: User;
  binds: readonly Bind[];
  /** Directories that the image wants to be writable. */
  volumes: readonly string[];
  labels: Readonly<Record<string, string>>;
}

/**
 * The first program waits for the end of its standard input, which comes when the server lets go of it or is gone: then
 * the kernel ends everything inside. As the first of its namespace it cannot be killed from inside, and it asks about
 * those whose parents are gone, so that docker-init would be one process more.
 */
const firstProgram = ["/bin/bash", "--noprofile", "--norc", "-c", "read -r -d ''"];

export function describeContainer(plan: ContainerPlan): object {
  const { spec, settings, labels, user } = plan;
  const { limits } = spec;
  return {
    Image: settings.image,
    Entrypoint: firstProgram,
    Cmd: [],
    Env: environmentOf(spec.env, spec.network !== undefined),
    User: `${user.uid}:${user.gid}`,
    WorkingDir: "/workspace",
    Hostname: "sandbox",
    Labels: labels,
    Healthcheck: { Test: ["NONE"] },
    // Nothing inside waits for a polite one, and a daemon that ends does not wait either.
    StopSignal: "SIGKILL",
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    StdinOnce: true,
    HostConfig: {
      AutoRemove: true,
      Runtime: settings.runtime ?? "",
      ReadonlyRootfs: true,
      NetworkMode: "none",
      IpcMode: "private",
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      // The first program comes on top.
      PidsLimit: limits.processesMax + 1,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: Math.round(limits.cpus * 1e9),
      ShmSize: sandboxLimits.shmBytes,
      OomScoreAdj: 500,
      Ulimits: [
        limitOf("core", 0),
        limitOf("fsize", limits.workspaceBytes),
        limitOf("nofile", sandboxLimits.openFilesMax),
      ],
      // What it writes is read by the server alone.
      LogConfig: { Type: "none" },
      Mounts: plan.binds.map(({ source, target, isReadOnly }) => ({
        Type: "bind",
        Source: source,
        Target: target,
        ReadOnly: isReadOnly,
        BindOptions: { Propagation: "rprivate" },
      })),
      Tmpfs: memoryOf(plan),
    },
  };
}

const limitOf = (name: string, most: number) => ({ Name: name, Soft: most, Hard: most });

/** Directories that are empty at each start, with their options. */
function memoryOf({ spec, user, volumes }: ContainerPlan): Record<string, string> {
  const { tmpBytes } = spec.limits;
  const own = (bytes: number, mode: string) =>
    `rw,exec,nosuid,nodev,size=${bytes},mode=${mode},uid=${user.uid},gid=${user.gid}`;
  const folders = (spec.folders ?? []).filter(({ kind }) => kind === "in_memory");
  return {
    ...Object.fromEntries(volumes.map((path) => [path, own(tmpBytes, "755")])),
    "/tmp": own(tmpBytes, "1777"),
    "/home/agent": own(tmpBytes, "755"),
    "/run": own(sandboxLimits.runBytes, "755"),
    ...Object.fromEntries(folders.map(({ path }) => [path, own(tmpBytes, "755")])),
  };
}
