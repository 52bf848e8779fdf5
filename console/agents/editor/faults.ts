// What the server would refuse, told while it is typed: what can be known here without asking it.
import { plural } from "../../../client/text/words.ts";
import { builtInNames, limits, type AgentConfig } from "../agents.ts";
import { configOf, schemaOf, type AgentDraft } from "./draft.ts";

export interface Fault {
  /** As the server names places: `tools.2.name`. */
  path: string;
  sentence: string;
  /** It has not been typed yet: that is no news before somebody tries to save. */
  isMissing?: true;
}

type Tools = NonNullable<AgentConfig["tools"]>;

export function faultsOfDraft(draft: AgentDraft): Fault[] {
  const schemas = draft.tools.flatMap((tool, at): Fault[] =>
    tool.kind === "custom" && schemaOf(tool.schema) === undefined
      ? [{ path: `tools.${at}.input_schema`, sentence: jsonFault(tool.schema) }]
      : [],
  );
  return [...schemas, ...faultsOf(configOf(draft))];
}

export function jsonFault(text: string): string {
  try {
    JSON.parse(text);
    return "An object is needed, { … }.";
  } catch (error) {
    return `This is no JSON: ${error instanceof Error ? error.message : ""}`;
  }
}

/** Characters are counted, not the units that a browser keeps them in. */
const charactersOf = (text: string) => Array.from(text).length;
const isLonger = (text: string, most: number) => text.length > most && charactersOf(text) > most;

function textFault(path: string, text: string | null | undefined, most: number): Fault[] {
  if (text == null || !isLonger(text, most)) return [];
  const sentence = `Must have at most ${most.toLocaleString("en")} characters; it has ${charactersOf(text).toLocaleString("en")}.`;
  return [{ path, sentence }];
}

export function faultsOf(config: AgentConfig): Fault[] {
  const { name, model, tools, mcp_servers: servers, skills, metadata } = config;
  const modelId = typeof model === "string" ? model : model.id;
  return [
    ...(name.trim() === ""
      ? [{ path: "name", sentence: "Give it a name.", isMissing: true as const }]
      : []),
    ...textFault("name", name, limits.nameCharactersMax),
    ...(/\p{Cc}/u.test(name) ? [{ path: "name", sentence: "Must be one line of text." }] : []),
    ...textFault("description", config.description, limits.descriptionCharactersMax),
    ...(modelId === ""
      ? [{ path: "model", sentence: "Choose a model.", isMissing: true as const }]
      : []),
    ...textFault("system", config.system, limits.systemCharactersMax),
    ...toolFaults(tools ?? []),
    ...serverFaults(servers ?? [], tools ?? []),
    ...skillFaults(skills ?? []),
    ...metadataFaults(metadata ?? {}),
  ];
}

function toolFaults(tools: Tools): Fault[] {
  const count = tools.reduce(
    (sum, tool) =>
      sum +
      (tool.type === "custom"
        ? 1
        : tool.type === "mcp_toolset"
          ? (tool.configs?.length ?? 0)
          : builtInNames.length),
    0,
  );
  const owners = new Map<string, number>();
  const faults = tools.flatMap((tool, at): Fault[] => {
    if (tool.type === "mcp_toolset") return [];
    const names = tool.type === "custom" ? [tool.name] : builtInNames;
    const taken = names.find((name) => owners.has(name));
    for (const name of names) owners.set(name, at);
    return [
      ...(taken === undefined || taken === ""
        ? []
        : [
            tool.type === "custom"
              ? { path: `tools.${at}.name`, sentence: `Another tool is called ${taken}.` }
              : { path: `tools.${at}`, sentence: `Another tool is called ${taken} already.` },
          ]),
      ...(tool.type === "custom" ? customFaults(tool, `tools.${at}`) : []),
    ];
  });
  if (count > limits.toolsMax)
    faults.push({
      path: "tools",
      sentence: `There may be at most ${limits.toolsMax} tools; these are ${count}.`,
    });
  return faults;
}

function customFaults(tool: Extract<Tools[number], { type: "custom" }>, path: string): Fault[] {
  const { name, description, input_schema: schema } = tool;
  const faults = textFault(`${path}.description`, description, limits.toolDescriptionCharactersMax);
  if (name === "")
    faults.push({ path: `${path}.name`, sentence: "Give the tool a name.", isMissing: true });
  else if (!/^[\w-]{1,128}$/.test(name))
    faults.push({
      path: `${path}.name`,
      sentence: "1 to 128 letters, digits, _ and - only.",
    });
  if ((schema as { type?: unknown }).type !== "object")
    faults.push({
      path: `${path}.input_schema`,
      sentence: 'Must describe an object: "type": "object".',
    });
  return faults;
}

function serverFaults(servers: NonNullable<AgentConfig["mcp_servers"]>, tools: Tools): Fault[] {
  const names = servers.map(({ name }) => name);
  const used = tools.flatMap((tool) => (tool.type === "mcp_toolset" ? tool.mcp_server_name : []));
  const faults = servers.flatMap(({ name, url }, at): Fault[] => {
    const path = `mcp_servers.${at}`;
    const said = [
      ...textFault(`${path}.name`, name, limits.serverNameCharactersMax),
      ...textFault(`${path}.url`, url, limits.urlCharactersMax),
    ];
    const sentence = addressFault(url);
    if (name === "")
      said.push({ path: `${path}.name`, sentence: "Give the server a name.", isMissing: true });
    else if (names.indexOf(name) !== at)
      said.push({ path: `${path}.name`, sentence: `Another server is called ${name}.` });
    else if (!used.includes(name))
      said.push({ path, sentence: `No mcp_toolset of tools names ${name}.` });
    if (url === "")
      said.push({ path: `${path}.url`, sentence: "Give its address.", isMissing: true });
    else if (sentence !== undefined) said.push({ path: `${path}.url`, sentence });
    return said;
  });
  if (servers.length > limits.serversMax)
    faults.push({
      path: "mcp_servers",
      sentence: `There may be at most ${plural(limits.serversMax, "server")}.`,
    });
  const homeless = tools.findIndex(
    (tool) => tool.type === "mcp_toolset" && !names.includes(tool.mcp_server_name),
  );
  if (homeless !== -1)
    faults.push({
      path: `tools.${homeless}.mcp_server_name`,
      sentence: "None of mcp_servers has this name.",
    });
  return faults;
}

function addressFault(url: string): string | undefined {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol))
    return "Must be an address such as https://mcp.example.com/mcp.";
  if (address.username !== "" || address.password !== "")
    return "Must hold no user name and no password: everybody who reads the agent would read it.";
  return undefined;
}

function skillFaults(skills: NonNullable<AgentConfig["skills"]>): Fault[] {
  const ids = skills.map(({ skill_id: id }) => id);
  const twice = ids.findIndex((id, at) => ids.indexOf(id) !== at);
  return [
    ...(twice === -1
      ? []
      : [{ path: `skills.${twice}.skill_id`, sentence: "This skill is named twice." }]),
    ...(skills.length > limits.skillsMax
      ? [{ path: "skills", sentence: `There may be at most ${limits.skillsMax} skills.` }]
      : []),
  ];
}

function metadataFaults(metadata: Record<string, string>): Fault[] {
  const { pairs, key, value } = limits.metadata;
  const entries = Object.entries(metadata);
  const broken = entries.find(([name, text]) => isLonger(name, key) || isLonger(text, value));
  if (entries.length > pairs)
    return [{ path: "metadata", sentence: `There may be at most ${pairs} pairs.` }];
  if (broken === undefined) return [];
  return [
    {
      path: "metadata",
      sentence: `${broken[0].slice(0, 40)}: keys have at most ${key} characters, values ${value}.`,
    },
  ];
}
