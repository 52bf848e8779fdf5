// What flags and a file say of an agent, as fields of a request.
import type { Agent } from "../../contract/types.ts";
import { asFields, metadataOf, type Fields } from "../request-body.ts";
import type { AgentFlags } from "./options.ts";

const toolset = "agent_toolset_20260401";

interface AgentFields {
  fields: Fields;
  /** They were worked out from the agent as it was read, and are right for that version alone. */
  isOfVersionRead: boolean;
}

/** `before` is the agent that an update changes. */
export function agentFields(given: Fields, flags: AgentFlags, before?: Agent): AgentFields {
  const { name, description, system, skills } = flags;
  const fields: Fields = {
    ...given,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(system !== undefined && { system }),
    ...(skills !== undefined && { skills }),
    ...metadataOf(given, flags.metadata, before !== undefined),
  };
  // Another name of the same text, which `show` prints too.
  if (system !== undefined) delete fields["system_prompt"];
  const namesModel = flags.model !== undefined || flags.effort !== undefined;
  if (namesModel) fields["model"] = modelOf(given["model"], before?.model, flags);
  if (flags.tools !== undefined) fields["tools"] = toolsOf(given["tools"] ?? before?.tools, flags);
  const isOfAgent = (field: string) => before !== undefined && given[field] === undefined;
  return {
    fields: before === undefined ? fields : withOnePrompt(fields, before),
    isOfVersionRead:
      (namesModel && isOfAgent("model")) || (flags.tools !== undefined && isOfAgent("tools")),
  };
}

/** An update replaces the whole model: what is not named of it is said again. */
function modelOf(given: unknown, before: Agent["model"] | undefined, flags: AgentFlags): unknown {
  // The server keeps the effort itself, if the next model takes it.
  const { effort: _, ...kept } = before ?? {};
  const base = given === undefined ? kept : typeof given === "string" ? { id: given } : given;
  const model: Fields = {
    ...asFields(base),
    ...(flags.model !== undefined && { id: flags.model }),
    ...(flags.effort !== undefined && { effort: flags.effort }),
  };
  return Object.keys(model).length === 1 ? model["id"] : model;
}

/** `show` prints the prompt under both of its names: the one that was changed since counts. */
function withOnePrompt(fields: Fields, before: Agent): Fields {
  const { system, system_prompt: other, ...rest } = fields;
  if (system === undefined || other === undefined || system === other) return fields;
  if (other === before.system) return { ...rest, system };
  return system === before.system ? { ...rest, system_prompt: other } : fields;
}

/** The toolset of the agent's computer; other tools, and what is configured of its own, stay. */
function toolsOf(base: unknown, { tools }: AgentFlags): unknown[] {
  const all = Array.isArray(base) ? base.map(asFields) : [];
  const at = all.findIndex(({ type }) => type === toolset);
  const others = all.filter((_, index) => index !== at);
  if (tools === "none" || tools === undefined) return others;
  const before = all[at] ?? { type: toolset };
  const wanted = tools === "all" ? undefined : new Set(tools);
  const configured = (Array.isArray(before["configs"]) ? before["configs"] : []).map(asFields);
  const known = configured.map(({ name }) => name);
  const configs = [
    ...configured.map((config) => ({
      ...config,
      enabled: wanted?.has(String(config["name"])) ?? true,
    })),
    ...[...(wanted ?? [])]
      .filter((name) => !known.includes(name))
      .map((name) => ({ name, enabled: true })),
  ];
  const next = {
    ...before,
    default_config: { ...asFields(before["default_config"]), enabled: wanted === undefined },
    configs,
  };
  return others.toSpliced(Math.max(at, 0), 0, next);
}
