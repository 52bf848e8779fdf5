// The form of an environment: where tools run, what they reach, and what is installed.
import type { ReactNode } from "react";
import { AreaField, CheckField, RadioCards, TextField } from "../kit/form/field.tsx";
import { Form, useForm, type FormState } from "../kit/form/form.tsx";
import { Pairs } from "../kit/form/pairs.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { server, type Environment } from "../kit/server/api.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import {
  bodyOf,
  changesOf,
  draftOf,
  hasSizeFault,
  hostsFault,
  linesOf,
  packagesFault,
  type Draft,
} from "./environment-draft.ts";
import {
  limits,
  managerNames,
  managers,
  renewEnvironments,
  type Workspace,
} from "./environments.ts";
import { SandboxFields } from "./sandbox/sandbox-fields.tsx";

export const newEnvironment = (
  workspace: Workspace,
  onMade: (environment: Environment) => void,
): void =>
  openDialog({
    title: "New environment",
    wide: true,
    body: <NewForm workspace={workspace} onMade={onMade} />,
  });

export const editEnvironment = (environment: Environment, workspace: Workspace): void =>
  openDialog({
    title: "Edit the environment",
    wide: true,
    body: <EditForm environment={environment} workspace={workspace} />,
  });

const faultOf = (draft: Draft): string | undefined =>
  draft.type === "cloud" &&
  ((hostsFault(draft) ?? packagesFault(draft)) !== undefined || hasSizeFault(draft))
    ? "Not everything is as the server takes it: what is wrong is told where it stands."
    : undefined;

function NewForm({
  workspace,
  onMade,
}: {
  workspace: Workspace;
  onMade: (environment: Environment) => void;
}) {
  const form = useForm({
    start: draftOf(),
    save: (draft) =>
      server.environments.create({ body: bodyOf(draft), headers: inWorkspace(workspace) }),
    faultOf,
    renew: renewEnvironments,
    done: ({ name }) => `${name} is there`,
    next: onMade,
  });
  return (
    <Fields form={form} label="Create environment">
      <RadioCards
        legend="Where tools run"
        name="type"
        value={form.values.type}
        choices={[
          { value: "cloud", label: "On this server", hint: "A sandbox for each session" },
          {
            value: "self_hosted",
            label: "Self-hosted",
            hint: "A worker in your own network, with a key of its own",
          },
        ]}
        onChange={(type) => form.set({ type })}
      />
    </Fields>
  );
}

function EditForm({ environment, workspace }: { environment: Environment; workspace: Workspace }) {
  const form = useForm({
    start: draftOf(environment),
    save: (draft) =>
      server.environments.update({
        params: { environment_id: environment.id },
        body: changesOf(environment, draft),
        headers: inWorkspace(workspace),
      }),
    faultOf,
    renew: renewEnvironments,
    done: () => "Saved",
  });
  return <Fields form={form} label="Save" />;
}

function Fields({
  form,
  label,
  children,
}: {
  form: FormState<Draft>;
  label: string;
  children?: ReactNode;
}) {
  return (
    <Form form={form} label={label} isReady={form.isDirty && form.values.name.trim() !== ""}>
      <TextField
        label="Name"
        required
        maxLength={limits.nameCharactersMax}
        autoComplete="off"
        {...form.field("name")}
      />
      <AreaField
        label="Description"
        rows={2}
        maxLength={limits.descriptionCharactersMax}
        {...form.field("description")}
      />
      {children}
      {form.values.type === "cloud" && (
        <>
          <Networking form={form} />
          <Packages form={form} />
          <SandboxFields form={form} />
        </>
      )}
      <Pairs
        legend="Metadata"
        pairs={form.values.pairs}
        most={limits.metadata}
        onChange={(pairs) => form.set({ pairs })}
      />
    </Form>
  );
}

/** The server counts what stands in a list: here it is called by what was typed. */
const named = (error: string | undefined, lines: string): string | undefined =>
  error?.replace(/^(\d+): /, (all, place) => `${linesOf(lines)[Number(place)] ?? all}: `);

function Networking({ form }: { form: FormState<Draft> }) {
  const { networking, mcp, managers: mayInstall } = form.values;
  const path = "config.networking";
  const missing = packagesFault(form.values) ?? form.errorWithin(`${path}.allow_package_managers`);
  return (
    <>
      <RadioCards
        legend="What it reaches"
        name="networking"
        value={networking}
        choices={[
          { value: "unrestricted", label: "Everything", hint: "The whole internet" },
          { value: "limited", label: "Only what is named", hint: "Hosts one by one" },
        ]}
        onChange={(chosen) => form.set({ networking: chosen })}
      />
      {networking === "limited" && (
        <div className="grid gap-3 border-l-2 border-line pl-4">
          <AreaField
            label="Hosts"
            hint="One on a line, up to 100. *.example.com stands for all below example.com."
            rows={3}
            spellCheck={false}
            className="font-mono text-sm"
            placeholder="api.example.com"
            value={form.values.hosts}
            onChange={({ target }) => form.set({ hosts: target.value })}
            error={
              hostsFault(form.values) ??
              named(form.errorWithin(`${path}.allowed_hosts`), form.values.hosts)
            }
          />
          <div>
            <CheckField
              label="MCP servers of the agent"
              checked={mcp}
              onChange={({ target }) => form.set({ mcp: target.checked })}
            />
            <CheckField
              label="Package managers"
              checked={mayInstall}
              onChange={({ target }) => form.set({ managers: target.checked })}
            />
          </div>
          {missing !== undefined && (
            <p role="alert" className="text-sm text-bad">
              {missing}
            </p>
          )}
        </div>
      )}
    </>
  );
}

function Packages({ form }: { form: FormState<Draft> }) {
  const { packages } = form.values;
  const errors = managerNames.map((each) =>
    named(form.errorWithin(`config.packages.${each}`), packages[each]),
  );
  const count = managerNames.reduce((sum, each) => sum + linesOf(packages[each]).length, 0);
  const isOpen = errors.some((error) => error !== undefined);
  return (
    <details {...(isOpen && { open: true })}>
      <summary className="font-medium">
        Packages <span className="font-normal text-soft">{count === 0 ? "None" : count}</span>
      </summary>
      <p className="mt-1 mb-3 text-sm text-soft">
        Installed once, when the agent of a session first uses a tool. One on a line, with a version
        where it matters: numpy==2.0.
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        {managerNames.map((each, at) => (
          <AreaField
            key={each}
            label={managers[each]}
            rows={2}
            spellCheck={false}
            className="font-mono text-sm"
            value={packages[each]}
            error={errors[at]}
            onChange={({ target }) => form.set({ packages: { ...packages, [each]: target.value } })}
          />
        ))}
      </div>
    </details>
  );
}
