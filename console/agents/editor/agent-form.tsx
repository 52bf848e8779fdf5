// An agent as a form and, beside it, as the JSON that is sent: two faces of one draft.
import { Tabs } from "@base-ui/react/tabs";
import { useState } from "react";
import { AreaField, TextField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { Pairs } from "../../kit/form/pairs.tsx";
import { Tab } from "../../kit/page/tab.tsx";
import { jsonText } from "../../kit/text/json.ts";
import type { Agent } from "../../kit/server/api.ts";
import { limits } from "../agents.ts";
import type { Workspace } from "../agent-queries.ts";
import { AgentJson } from "./fields/agent-json.tsx";
import { configOf, draftOf, type AgentDraft, type WholeConfig } from "./draft.ts";
import { faultsOfDraft, type Fault } from "./faults.ts";
import { ModelFields } from "./fields/model-fields.tsx";
import { readConfig, type Read } from "./read-config.ts";
import { SkillFields } from "./fields/skill-fields.tsx";
import { ToolFields, type FaultsAt } from "./fields/tool-fields.tsx";

interface Typed {
  draft: AgentDraft;
  /** What was typed as JSON and is not in the draft yet. */
  json: string | undefined;
}

interface AgentFormProps {
  start: AgentDraft;
  /** What was typed already, where it goes on from another start. */
  typed?: AgentDraft | undefined;
  workspace: Workspace;
  label: string;
  save: (config: WholeConfig) => Promise<Agent>;
  done: (agent: Agent) => string;
  renew: () => unknown;
  next: (agent: Agent) => void;
}

const jsonOf = (draft: AgentDraft): string => jsonText(configOf(draft));

/** What is wrong in it, as far as it can be known here. */
const readOf = ({ draft, json }: Typed): Read =>
  json === undefined ? { config: configOf(draft), faults: faultsOfDraft(draft) } : readConfig(json);

export function AgentForm({ start, typed, workspace, label, save, ...after }: AgentFormProps) {
  const form = useForm<Typed, Agent>({
    start: { draft: start, json: undefined },
    typed: typed && { draft: typed, json: undefined },
    save: async (values) => save(readOf(values).config ?? configOf(values.draft)),
    faultOf: (values) =>
      readOf(values).faults.length > 0
        ? "Not everything is as the server takes it: what is wrong is told where it stands."
        : undefined,
    ...after,
  });
  const { draft, json } = form.values;
  const { faults: found, config } = readOf(form.values);
  const [face, setFace] = useState("form");
  const told = found.filter(({ isMissing }) => isMissing !== true || form.isTried);
  const change = (patch: Partial<AgentDraft>) => form.set({ draft: { ...draft, ...patch } });
  const faults = faultsAt(told, form);
  const isBroken = json !== undefined && config === undefined;
  const turn = (next: string) => {
    if (next === "form" && json !== undefined && config !== undefined)
      form.set({ draft: draftOf(config), json: undefined });
    setFace(next);
  };
  const hasBrokenSchema = found.some(({ path }) => path.endsWith(".input_schema"));
  return (
    <Tabs.Root value={face} onValueChange={(next) => turn(String(next))} className="max-w-4xl">
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Tabs.List aria-label="How it is shown" className="flex gap-1">
          <Tab value="form" disabled={isBroken}>
            Form
          </Tab>
          <Tab value="json" disabled={face === "form" && hasBrokenSchema}>
            JSON
          </Tab>
        </Tabs.List>
        <p className="text-sm text-soft">
          {isBroken
            ? "The form opens again as soon as the JSON can be read."
            : "The JSON has all of it, also what the form has no field for."}
        </p>
      </div>
      <Form form={form} label={label} inPage="long">
        <Tabs.Panel value="form" className="grid gap-6">
          <Fields {...{ draft, faults, workspace, change }} />
        </Tabs.Panel>
        <Tabs.Panel value="json">
          <AgentJson
            text={json ?? jsonOf(draft)}
            faults={told}
            onChange={(typed) => form.set({ json: typed === jsonOf(draft) ? undefined : typed })}
          />
        </Tabs.Panel>
      </Form>
    </Tabs.Root>
  );
}

/** What was found here while typing, else what the server said of the last attempt. */
function faultsAt(
  found: readonly Fault[],
  form: Record<"errorAt" | "errorWithin", (path: string) => string | undefined>,
): FaultsAt {
  const at = (path: string) => found.find((each) => each.path === path)?.sentence;
  return {
    at: (path) => at(path) ?? form.errorAt(path),
    within: (path) =>
      found.find((each) => each.path === path || each.path.startsWith(`${path}.`))?.sentence ??
      form.errorWithin(path),
  };
}

function Fields({
  draft,
  faults,
  workspace,
  change,
}: {
  draft: AgentDraft;
  faults: FaultsAt;
  workspace: Workspace;
  change: (patch: Partial<AgentDraft>) => void;
}) {
  return (
    <>
      <div className="grid gap-4">
        <TextField
          label="Name"
          required
          autoComplete="off"
          value={draft.name}
          error={faults.at("name")}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TextField
          label="Description"
          hint="For people, and for agents that take this one in."
          autoComplete="off"
          value={draft.description}
          error={faults.at("description")}
          onChange={({ target }) => change({ description: target.value })}
        />
        <ModelFields
          draft={draft}
          error={faults.at("model.id") ?? faults.at("model")}
          effortError={faults.at("model.effort")}
          onChange={change}
        />
        <AreaField
          label="Prompt"
          hint="What the model is told before anything else."
          className="min-h-36 max-md:min-h-36"
          value={draft.system}
          error={faults.at("system")}
          onChange={({ target }) => change({ system: target.value })}
        />
      </div>
      <h2 className="-mb-2 text-lg font-semibold">Tools</h2>
      <ToolFields tools={draft.tools} faults={faults} onChange={(tools) => change({ tools })} />
      <SkillFields
        workspace={workspace}
        skills={draft.skills}
        faults={faults}
        onChange={(skills) => change({ skills })}
      />
      <div className="grid gap-1.5">
        <Pairs
          legend="Metadata"
          pairs={draft.pairs}
          most={limits.metadata}
          onChange={(pairs) => change({ pairs })}
        />
        {faults.within("metadata") !== undefined && (
          <p role="alert" className="text-sm text-bad">
            {faults.within("metadata")}
          </p>
        )}
      </div>
    </>
  );
}
