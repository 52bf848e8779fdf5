// What the settings file says of sandboxes.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import type { DockerSettings } from "./docker/container.ts";
import { packageHosts, type PackageManager } from "./door/policy.ts";
import { defaultLimits, packageDefaults, sandboxLimits } from "./limits.ts";
import { guaranteeNames, type SandboxLimits } from "./provider.ts";

const mib = 1024 * 1024;
const defaultSocket = "/var/run/docker.sock";
export const providerNames = ["auto", "linux", "docker", "virtual"] as const;

const Address = Type.String({
  ...worded(
    "^https?://[^\\s/@?#]+(/[^\\s?#]*)?$",
    "must be an address with http:// or https://, without a user, a password and a query",
  ),
  maxLength: 2_048,
});

const sizes = {
  processes_max: Type.Optional(Type.Integer({ minimum: 8, maximum: 32_768 })),
  memory_mib: Type.Optional(Type.Integer({ minimum: 64, maximum: 1_048_576 })),
  cpus: Type.Optional(Type.Number({ minimum: 0.05, maximum: 1_024 })),
  tmp_mib: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_536 })),
};

/** Of the packages that environments name. */
const PackagesSection = Type.Object(
  {
    ...sizes,
    /** Of what is installed for one list, while it is and after. */
    layer_mib: Type.Optional(Type.Integer({ minimum: 16, maximum: 1_048_576 })),
    /** Of all on this machine. */
    total_mib: Type.Optional(Type.Integer({ minimum: 16, maximum: 1_073_741_824 })),
    build_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
    /** In the place of the public registries. */
    mirrors: Type.Optional(
      Type.Object(
        Object.fromEntries(
          Object.keys(packageHosts).map((manager) => [manager, Type.Optional(Address)]),
        ),
        { additionalProperties: false },
      ),
    ),
    /** What the mirror of apt has is taken without a signature. */
    trust_apt_mirror: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

/** Of the provider `docker`. */
const DockerSection = Type.Object(
  {
    image: Type.String({ minLength: 1, maxLength: 512 }),
    socket: Type.Optional(Type.String(worded("^/", "must begin with /"))),
    /** Of those that the daemon knows, such as `runsc`. */
    runtime: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  },
  { additionalProperties: false },
);

const SandboxSection = Type.Object(
  {
    provider: Type.Optional(Type.Enum(providerNames)),
    /** Without these the server does not start. */
    require: Type.Optional(Type.Array(Type.Enum(guaranteeNames), { uniqueItems: true })),
    /** A directory with another system's `usr` and `etc`. */
    rootfs: Type.Optional(Type.String(worded("^/", "must begin with /"))),
    docker: Type.Optional(DockerSection),
    /** Sandboxes that run at a time on this machine. */
    running_max: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    idle_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
    ...sizes,
    workspace_mib: Type.Optional(Type.Integer({ minimum: 16, maximum: 1_048_576 })),
    packages: Type.Optional(PackagesSection),
    /** A repository with its history, and how long it may take to fetch it. */
    repository_mib: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_048_576 })),
    clone_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600 })),
  },
  { additionalProperties: false },
);
type SandboxSection = Static<typeof SandboxSection>;

export const sandboxSection = defineSection({
  name: "sandbox",
  describe: "Where the tools of agents run in cloud environments, and what one sandbox may use.",
  schema: SandboxSection,
  fallback: {},
});

/** By the names and in the units of the settings, which environments use too. */
export interface SandboxSizes {
  processes_max: number;
  memory_mib: number;
  cpus: number;
  workspace_mib: number;
  tmp_mib: number;
}

export const limitsAsSet = (limits: SandboxLimits): SandboxSizes => ({
  processes_max: limits.processesMax,
  memory_mib: limits.memoryBytes / mib,
  cpus: limits.cpus,
  workspace_mib: limits.workspaceBytes / mib,
  tmp_mib: limits.tmpBytes / mib,
});

/** What is less than given; where nothing is said, what is given. */
export function limitsWithin(given: SandboxLimits, asked: Partial<SandboxSizes>): SandboxLimits {
  const sizes = limitsAsSet(given);
  const least = (name: keyof SandboxSizes) => Math.min(sizes[name], asked[name] ?? sizes[name]);
  return {
    processesMax: least("processes_max"),
    memoryBytes: least("memory_mib") * mib,
    cpus: least("cpus"),
    workspaceBytes: least("workspace_mib") * mib,
    tmpBytes: least("tmp_mib") * mib,
  };
}

export interface SandboxSettings {
  provider: (typeof providerNames)[number];
  require: readonly (typeof guaranteeNames)[number][];
  rootfs: string;
  /** Where the settings name an image. */
  docker?: DockerSettings;
  runningMax: number;
  idleMs: number;
  limits: SandboxLimits;
  packages: PackageSettings;
  repositoryBytesMax: number;
  cloneMs: number;
}

export interface PackageSettings {
  limits: SandboxLimits;
  totalBytes: number;
  buildMs: number;
  mirrors: Readonly<Partial<Record<PackageManager, string>>>;
  trustsAptMirror: boolean;
}

const bytes = (size: number | undefined, usual: number) =>
  size === undefined ? usual : size * mib;

function packageSettingsOf(section: Static<typeof PackagesSection>): PackageSettings {
  const { limits: usual, totalBytes, buildMs } = packageDefaults;
  return {
    limits: {
      processesMax: section.processes_max ?? usual.processesMax,
      memoryBytes: bytes(section.memory_mib, usual.memoryBytes),
      cpus: section.cpus ?? usual.cpus,
      workspaceBytes: bytes(section.layer_mib, usual.workspaceBytes),
      tmpBytes: bytes(section.tmp_mib, usual.tmpBytes),
    },
    totalBytes: bytes(section.total_mib, totalBytes),
    buildMs: section.build_seconds === undefined ? buildMs : section.build_seconds * 1000,
    mirrors: section.mirrors ?? {},
    trustsAptMirror: section.trust_apt_mirror ?? false,
  };
}

/** For the policies of sandboxes. */
export const mirrorsOf = (world: Pick<World, "sections">): { url: string }[] =>
  Object.values(sandboxSettingsOf(world).packages.mirrors).map((url) => ({ url }));

export function sandboxSettingsOf({ sections }: Pick<World, "sections">): SandboxSettings {
  const section = (sections?.["sandbox"] ?? {}) as SandboxSection;
  return {
    provider: section.provider ?? "auto",
    require: section.require ?? [],
    rootfs: section.rootfs ?? "/",
    ...(section.docker && { docker: { socket: defaultSocket, ...section.docker } }),
    runningMax: section.running_max ?? sandboxLimits.runningMax,
    idleMs: section.idle_seconds === undefined ? sandboxLimits.idleMs : section.idle_seconds * 1000,
    packages: packageSettingsOf(section.packages ?? {}),
    repositoryBytesMax: bytes(section.repository_mib, sandboxLimits.repositoryBytesMax),
    cloneMs: (section.clone_seconds ?? sandboxLimits.cloneSeconds) * 1000,
    limits: {
      processesMax: section.processes_max ?? defaultLimits.processesMax,
      memoryBytes: bytes(section.memory_mib, defaultLimits.memoryBytes),
      cpus: section.cpus ?? defaultLimits.cpus,
      workspaceBytes: bytes(section.workspace_mib, defaultLimits.workspaceBytes),
      tmpBytes: bytes(section.tmp_mib, defaultLimits.tmpBytes),
    },
  };
}
