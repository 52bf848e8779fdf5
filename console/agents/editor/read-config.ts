// What is typed as JSON, as a configuration: or what is wrong with its shape. What else is wrong the server says.
import { builtInNames, fields } from "../agents.ts";
import { configOf, draftOf, type WholeConfig } from "./draft.ts";
import { faultsOf, jsonFault, type Fault } from "./faults.ts";

/** Without a configuration where its shape is wrong. */
export interface Read {
  config?: WholeConfig;
  faults: Fault[];
}

/** What the text leaves out is nothing: all that the agent is stands in it. */
const empty = configOf(draftOf({ name: "", model: "" }));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What an agent is read with and no request may say: it is passed over, so that what was read can be pasted. */
const readOnly = ["id", "type", "version", "created_at", "updated_at", "archived_at"];

export function readConfig(text: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { faults: [{ path: "", sentence: jsonFault(text) }] };
  }
  if (!isObject(value)) return { faults: [{ path: "", sentence: "An object is needed, { … }." }] };
  const given = Object.fromEntries(
    Object.entries(value).filter(([name]) => !readOnly.includes(name)),
  );
  const faults = shapeFaults(given);
  if (faults.length > 0) return { faults };
  const { system_prompt: prompt, ...rest } = given;
  const named = Object.entries({ ...(prompt != null && { system: prompt }), ...rest });
  // Null and an empty list clear.
  const parts = Object.fromEntries(named.filter(([, part]) => part !== null));
  const config: WholeConfig = { ...empty, ...parts };
  return { config, faults: faultsOf(config) };
}

const isText = (value: unknown) => typeof value === "string";
const isTextOrNothing = (value: unknown) => value == null || isText(value);

function shapeFaults(given: Record<string, unknown>): Fault[] {
  const known: readonly string[] = [...fields, "system_prompt"];
  const faults: Fault[] = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((path) => ({ path, sentence: `No part of an agent. There are ${known.join(", ")}.` }));
  const expect = (path: string, holds: boolean, sentence: string) => {
    if (!holds) faults.push({ path, sentence });
  };
  const { model, metadata, system, system_prompt: prompt } = given;
  expect("name", given["name"] === undefined || isText(given["name"]), "Must be a text.");
  for (const path of ["description", "system", "system_prompt"])
    expect(path, isTextOrNothing(given[path]), "Must be a text, or null.");
  expect(
    "system_prompt",
    system == null || prompt == null || system === prompt,
    "Is another name of system, which says something else: one of them is enough.",
  );
  expect(
    "model",
    model === undefined || isText(model) || (isObject(model) && isText(model["id"])),
    'Must be a name, or an object such as { "id": "sim-large", "effort": "high" }.',
  );
  expect(
    "metadata",
    metadata == null || (isObject(metadata) && Object.values(metadata).every(isText)),
    "Must be an object whose values are texts.",
  );
  expectItems(given, "tools", expect, toolShape);
  expectItems(given, "mcp_servers", expect, (item) =>
    item["type"] === "url" && isText(item["name"]) && isText(item["url"])
      ? undefined
      : 'Must be such as { "type": "url", "name": "tracker", "url": "https://…" }.',
  );
  expectItems(given, "skills", expect, (item) =>
    isText(item["type"]) && isText(item["skill_id"]) && isTextOrNothing(item["version"])
      ? undefined
      : 'Must be such as { "type": "custom", "skill_id": "skill_…" }.',
  );
  return faults;
}

function expectItems(
  given: Record<string, unknown>,
  name: string,
  expect: (path: string, holds: boolean, sentence: string) => void,
  faultOf: (item: Record<string, unknown>) => string | undefined,
): void {
  const items = given[name];
  if (items == null) return;
  if (!Array.isArray(items)) return expect(name, false, "Must be a list, [ … ].");
  for (const [at, item] of items.entries()) {
    const fault = isObject(item) ? faultOf(item) : "Must be an object.";
    expect(`${name}.${at}`, fault === undefined, fault ?? "");
  }
}

function toolShape(tool: Record<string, unknown>): string | undefined {
  const { type } = tool;
  if (type === "custom")
    return isText(tool["name"]) && isText(tool["description"]) && isObject(tool["input_schema"])
      ? undefined
      : "A custom tool has a name, a description and an input_schema.";
  if (type !== "agent_toolset_20260401" && type !== "mcp_toolset")
    return "Its type must be agent_toolset_20260401, mcp_toolset or custom.";
  if (type === "mcp_toolset" && !isText(tool["mcp_server_name"]))
    return "An mcp_toolset names its server in mcp_server_name.";
  const configs = tool["configs"];
  const isKnown = (name: unknown) =>
    isText(name) && (type === "mcp_toolset" || builtInNames.some((each) => each === name));
  const areNamed =
    configs == null ||
    (Array.isArray(configs) && configs.every((each) => isObject(each) && isKnown(each["name"])));
  if (!areNamed)
    return type === "mcp_toolset"
      ? "Its configs must be a list of objects, each with a name."
      : `Its configs must be a list of objects, each with the name of a tool: ${builtInNames.join(", ")}.`;
  return [tool["default_config"], ...(configs ?? [])].every(isBehaviour)
    ? undefined
    : 'A permission_policy must be such as { "type": "always_ask" }, and enabled true or false.';
}

const isBehaviour = (value: unknown): boolean => {
  if (value == null) return true;
  if (!isObject(value)) return false;
  const { enabled, permission_policy: policy } = value;
  return (
    (enabled == null || typeof enabled === "boolean") &&
    (policy == null || (isObject(policy) && isText(policy["type"])))
  );
};
