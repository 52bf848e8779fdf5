// The tools in the form: those that the session's environment brings, MCP servers, and tools that the caller runs.
import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import { AreaField, CheckField, TextField } from "../../../kit/form/field.tsx";
import { FilterSelect, SelectField } from "../../../kit/form/select.tsx";
import { Button, IconButton } from "../../../kit/page/button.tsx";
import { builtInNames, builtInTools, limits, policyChoices } from "../../agents.ts";
import {
  newBuiltIn,
  newCustom,
  newServer,
  type BuiltInDraft,
  type CustomDraft,
  type ServerDraft,
  type ToolDraft,
} from "../draft.ts";

/** What is wrong at a place, or within it. */
export interface FaultsAt {
  at: (path: string) => string | undefined;
  within: (path: string) => string | undefined;
}

interface Props {
  tools: ToolDraft[];
  faults: FaultsAt;
  onChange: (tools: ToolDraft[]) => void;
}

interface Placed<Tool extends ToolDraft> {
  tool: Tool;
  /** Among all tools, as the server counts them. */
  place: number;
  change: (patch: Partial<Tool>) => void;
  remove: () => void;
}

function placed<Kind extends ToolDraft["kind"]>({ tools, onChange }: Props, kind: Kind) {
  return tools.flatMap((tool, place) =>
    tool.kind === kind
      ? [
          {
            tool: tool as Extract<ToolDraft, { kind: Kind }>,
            place,
            change: (patch: Partial<Extract<ToolDraft, { kind: Kind }>>) =>
              onChange(tools.map((each, at) => (at === place ? { ...each, ...patch } : each))),
            remove: () => onChange(tools.filter((_, at) => at !== place)),
          },
        ]
      : [],
  );
}

export function ToolFields(props: Props) {
  const { tools, faults, onChange } = props;
  const servers = placed(props, "server");
  const whole = faults.at("tools") ?? faults.at("mcp_servers");
  return (
    <>
      <BuiltInTools {...props} />
      <Group
        title="MCP servers"
        note="Their tools are asked for when a session begins."
        add={{ label: "Add a server", isFull: servers.length >= limits.serversMax }}
        onAdd={() => onChange([...tools, newServer()])}
      >
        {servers.map((server, at) => (
          <Server key={server.place} {...server} at={at} faults={faults} />
        ))}
      </Group>
      <Group
        title="Custom tools"
        note="Your own program runs them: the session waits for what it answers."
        add={{ label: "Add a custom tool", isFull: false }}
        onAdd={() => onChange([...tools, newCustom()])}
      >
        {placed(props, "custom").map((custom) => (
          <Custom key={custom.place} {...custom} faults={faults} />
        ))}
      </Group>
      {whole !== undefined && <Wrong>{whole}</Wrong>}
    </>
  );
}

const Wrong = ({ children }: { children: ReactNode }) => (
  <p role="alert" className="text-sm text-bad">
    {children}
  </p>
);

function Group({
  title,
  note,
  add,
  onAdd,
  children,
}: {
  title: string;
  note: string;
  add: { label: string; isFull: boolean };
  onAdd: () => void;
  children: ReactNode;
}) {
  return (
    <fieldset className="grid gap-3">
      <legend className="font-medium">{title}</legend>
      <p className="text-sm text-soft">{note}</p>
      {children}
      <div>
        <Button disabled={add.isFull} onClick={onAdd}>
          <Plus size={16} aria-hidden />
          {add.label}
        </Button>
      </div>
    </fieldset>
  );
}

function BuiltInTools(props: Props) {
  const { tools, faults, onChange } = props;
  const [first] = placed(props, "built_in");
  const others = tools.filter(({ kind }) => kind !== "built_in");
  return (
    <fieldset className="grid gap-2">
      <legend className="sr-only">Built-in tools</legend>
      <CheckField
        label="Built-in tools"
        hint="They run where the session runs: in its environment. Domains for the web tools are set in the JSON."
        checked={first !== undefined}
        onChange={({ target }) => onChange(target.checked ? [newBuiltIn(), ...others] : others)}
      />
      {first !== undefined && (
        <>
          <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
            {builtInNames.map((name) => (
              <BuiltIn key={name} name={name} {...first} />
            ))}
          </ul>
          {faults.within(`tools.${first.place}`) !== undefined && (
            <Wrong>{faults.within(`tools.${first.place}`)}</Wrong>
          )}
        </>
      )}
    </fieldset>
  );
}

function BuiltIn({
  name,
  tool,
  change,
}: Placed<BuiltInDraft> & { name: keyof BuiltInDraft["tools"] }) {
  const { enabled, policy } = tool.tools[name];
  const set = (patch: Partial<BuiltInDraft["tools"][typeof name]>) =>
    change({ tools: { ...tool.tools, [name]: { ...tool.tools[name], ...patch } } });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-1.5">
      <label className="flex min-w-0 flex-1 basis-52 cursor-pointer items-baseline gap-2.5">
        <input
          type="checkbox"
          className="accent-accent"
          checked={enabled}
          onChange={({ target }) => set({ enabled: target.checked })}
        />
        <span>
          <span className="font-mono text-sm">{name}</span>{" "}
          <span className="text-sm text-soft">{builtInTools[name]}</span>
        </span>
      </label>
      <span className="flex md:w-56 md:*:flex-1 max-md:basis-full">
        <FilterSelect
          label={`How ${name} is used`}
          value={policy}
          disabled={!enabled}
          choices={policyChoices}
          onChange={(chosen) => set({ policy: chosen })}
        />
      </span>
    </li>
  );
}

function Box({
  name,
  onRemove,
  children,
}: {
  name: string;
  onRemove: () => void;
  children: ReactNode;
}) {
  return (
    <div
      role="group"
      aria-label={name}
      className="relative grid gap-3 rounded-lg border border-line bg-surface p-3 pr-12 max-md:pr-3 max-md:pt-12"
    >
      {children}
      <IconButton label={`Remove ${name}`} onClick={onRemove} className="absolute top-2 right-2">
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}

/** `at` counts servers alone, as the server does. */
function Server({
  tool,
  place,
  at,
  faults,
  change,
  remove,
}: Placed<ServerDraft> & { at: number; faults: FaultsAt }) {
  const single = tool.sent.configs?.length ?? 0;
  const path = `mcp_servers.${at}`;
  const rest = faults.at(path) ?? faults.within(`tools.${place}`);
  return (
    <Box name={tool.name === "" ? `server ${at + 1}` : tool.name} onRemove={remove}>
      <div className="grid gap-3 sm:grid-cols-[1fr_2fr]">
        <TextField
          label="Name of the server"
          autoComplete="off"
          maxLength={limits.serverNameCharactersMax}
          value={tool.name}
          error={faults.at(`${path}.name`)}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TextField
          label="Address"
          type="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://mcp.example.com/mcp"
          value={tool.url}
          error={faults.at(`${path}.url`)}
          onChange={({ target }) => change({ url: target.value })}
        />
      </div>
      <SelectField
        label="Its tools are used"
        {...(single > 0 && { hint: `${single} of them have settings of their own in the JSON.` })}
        value={tool.enabled ? tool.policy : "off"}
        choices={[...policyChoices, { value: "off", label: "Only those that the JSON turns on" }]}
        onChange={(chosen) =>
          change(chosen === "off" ? { enabled: false } : { enabled: true, policy: chosen })
        }
      />
      {rest !== undefined && <Wrong>{rest}</Wrong>}
    </Box>
  );
}

function Custom({
  tool,
  place,
  faults,
  change,
  remove,
}: Placed<CustomDraft> & { faults: FaultsAt }) {
  const path = `tools.${place}`;
  return (
    <Box name={tool.name === "" ? "the new tool" : tool.name} onRemove={remove}>
      <TextField
        label="Name of the tool"
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-sm"
        placeholder="look_up_order"
        value={tool.name}
        error={faults.at(`${path}.name`)}
        onChange={({ target }) => change({ name: target.value })}
      />
      <AreaField
        label="What it does"
        hint="The model chooses by it: say what it answers, and when to use it."
        rows={2}
        value={tool.description}
        error={faults.at(`${path}.description`)}
        onChange={({ target }) => change({ description: target.value })}
      />
      <AreaField
        label="What it is given, as a JSON schema"
        spellCheck={false}
        className="min-h-24 font-mono text-sm max-md:min-h-24"
        value={tool.schema}
        error={faults.at(`${path}.input_schema`) ?? faults.within(`${path}.input_schema`)}
        onChange={({ target }) => change({ schema: target.value })}
      />
      {faults.at(path) !== undefined && <Wrong>{faults.at(path)}</Wrong>}
    </Box>
  );
}
