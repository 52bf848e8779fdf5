// Sandboxes in words for people: what a machine guarantees, and what one sandbox may use.
import { queryOptions } from "@tanstack/react-query";
import { api, type SandboxFacts } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import type { Tone } from "../../kit/value/badge.tsx";
import type { CloudConfig, Workspace } from "../environments.ts";

export type Guarantee = SandboxFacts["guarantees"][number];
export type GuaranteeName = Guarantee["name"];
export type SizeName = keyof SandboxFacts["limits"];
/** What an environment asks of sandboxes. */
export type Asked = NonNullable<CloudConfig["sandbox"]>;

export const guarantees: Record<GuaranteeName, string> = {
  fs: "Files",
  processes: "Processes",
  memory: "Memory",
  cpu: "Processors",
  disk: "Disk",
  network: "Network",
  kernel: "Kernel",
};
export const guaranteeNames = Object.keys(guarantees) as GuaranteeName[];

export const levels: Record<Guarantee["level"], { word: string; tone: Tone }> = {
  enforced: { word: "Enforced", tone: "good" },
  best_effort: { word: "Best effort", tone: "warn" },
  none: { word: "None", tone: "bad" },
};

export const sizes: Record<
  SizeName,
  { label: string; asked: string; unit: string; least: number }
> = {
  processes_max: { label: "Processes", asked: "processes", unit: "", least: 8 },
  memory_mib: { label: "Memory", asked: "memory, in MiB", unit: " MiB", least: 64 },
  cpus: { label: "Processors", asked: "processors", unit: "", least: 0.05 },
  workspace_mib: {
    label: "Disk for /workspace",
    asked: "disk for /workspace, in MiB",
    unit: " MiB",
    least: 16,
  },
  tmp_mib: { label: "Disk for /tmp", asked: "disk for /tmp, in MiB", unit: " MiB", least: 1 },
};
export const sizeNames = Object.keys(sizes) as SizeName[];

export const sizeText = (name: SizeName, size: number): string =>
  `${size.toLocaleString("en")}${sizes[name].unit}`;

/** Those that are asked for and not enforced: with one of them no session begins. */
export const missingOf = (
  { guarantees: held }: SandboxFacts,
  asked: readonly GuaranteeName[],
): Guarantee[] => held.filter(({ name, level }) => asked.includes(name) && level !== "enforced");

export const sandboxQueries = {
  /** Of the machine that answers. */
  facts: (workspace: Workspace) =>
    queryOptions({
      queryKey: ["sandboxes", workspace],
      queryFn: () => api.sandboxes.retrieve({ headers: inWorkspace(workspace) }),
      staleTime: 60_000,
    }),
};
