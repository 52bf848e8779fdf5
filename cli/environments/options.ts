// Options of the `plinth environments` commands, as commander hands them over.
import type { Flags } from "../options.ts";

export const packageManagers = ["apt", "cargo", "gem", "go", "npm", "pip"] as const;
type PackageManager = (typeof packageManagers)[number];

export interface EnvironmentFlags extends Flags, Partial<Record<PackageManager, string[]>> {
  file?: string;
  name?: string;
  description?: string;
  selfHosted?: boolean;
  networking?: "unrestricted" | "limited";
  hosts?: string[];
  allowMcpServers?: boolean;
  allowPackageManagers?: boolean;
  metadata?: Record<string, string>;
}

export interface NewKeyFlags extends Flags {
  name?: string;
}

export interface CheckFlags extends Flags {
  /** In seconds. */
  wait: number;
}

export interface StopFlags extends Flags {
  force?: boolean;
}
