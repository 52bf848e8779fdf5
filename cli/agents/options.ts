// Options of the `plinth agents` commands, as commander hands them over.
import { InvalidArgumentError } from "commander";
import type { Flags } from "../options.ts";

export interface SkillReference {
  type: "custom";
  skill_id: string;
  version?: string;
}

export interface AgentFlags extends Flags {
  file?: string;
  name?: string;
  model?: string;
  effort?: string;
  system?: string;
  description?: string;
  tools?: "all" | "none" | string[];
  skills?: SkillReference[];
  metadata?: Record<string, string>;
}

/** Of an update, the version that it is meant for; of a read, the one to show. */
export interface VersionFlags {
  version?: number;
}

const listed = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

export function tools(text: string): "all" | "none" | string[] {
  if (text === "all" || text === "none") return text;
  const names = listed(text);
  if (names.length === 0)
    throw new InvalidArgumentError("It must be all, none, or names such as bash,read,edit.");
  return names;
}

export function skills(text: string): SkillReference[] {
  if (text === "none") return [];
  const references = listed(text).map((name): SkillReference => {
    const [id = "", version] = name.split("@");
    return { type: "custom", skill_id: id, ...(version !== undefined && { version }) };
  });
  if (references.length === 0)
    throw new InvalidArgumentError("It must be none, or ids such as skill_01m7….");
  return references;
}
