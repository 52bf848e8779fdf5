// Begins a session: with which agent, where its tools run, what it is told first, what it is given and may cost.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { AreaField, CheckField, TextField } from "../../kit/form/field.tsx";
import { Form, useForm, type FormState } from "../../kit/form/form.tsx";
import { SelectField } from "../../kit/form/select.tsx";
import { BackLink } from "../../kit/page/detail-page.tsx";
import { PageHeader } from "../../kit/page/page-header.tsx";
import { useSearchState } from "../../kit/page/search.ts";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { Agent, Environment, MemoryStore, Session, Vault } from "../../kit/server/api.ts";
import { useMe } from "../../kit/server/queries.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { choiceQueries } from "../choice-queries.ts";
import { forgetSessions, sessionQueries } from "../session-queries.ts";
import { limits } from "../sessions.ts";
import { begin, faultsOf, type Draft } from "./session-draft.ts";
import { StoreFields } from "./store-fields.tsx";

export function Page() {
  const { id: workspace, search: home } = useWorkspace();
  const { permissions } = useMe();
  const agents = useQuery(choiceQueries.agents(workspace));
  const environments = useQuery(choiceQueries.environments(workspace));
  const mayRemember = permissions.includes("memory:use");
  const stores = useQuery({ ...choiceQueries.stores(workspace), enabled: mayRemember });
  const mayUnlock = permissions.includes("vaults:use");
  const vaults = useQuery({ ...choiceQueries.vaults(workspace), enabled: mayUnlock });
  const [{ agent }] = useSearchState();
  const last = useQuery({
    ...sessionQueries.lastOf(workspace, agent ?? ""),
    enabled: agent !== undefined,
  });
  const error = agents.error ?? environments.error;
  const isPending =
    agents.isPending ||
    environments.isPending ||
    stores.isLoading ||
    vaults.isLoading ||
    last.isLoading;
  return (
    <>
      <BackLink to="/sessions" search={home} label="All sessions" />
      <PageHeader title="New session">
        One run of an agent. It keeps the version of the agent that it begins with.
      </PageHeader>
      {error !== null && <TroubleBox error={error} />}
      {isPending && error === null && <RowsSkeleton />}
      {agents.data !== undefined && environments.data !== undefined && !isPending && (
        <Ready
          key={workspace}
          agents={agents.data}
          environments={environments.data}
          stores={stores.data ?? []}
          vaults={vaults.data ?? []}
          last={last.data ?? undefined}
        />
      )}
    </>
  );
}

interface Choices {
  agents: readonly Agent[];
  environments: readonly Environment[];
  stores: readonly MemoryStore[];
  vaults: readonly Vault[];
  /** The newest session of the agent that the address names. */
  last: Session | undefined;
}

const link = "text-accent underline underline-offset-2";

function Ready(choices: Choices) {
  const { search: home } = useWorkspace();
  const { agents, environments } = choices;
  if (agents.length > 0 && environments.length > 0) return <BeginForm {...choices} />;
  return (
    <div className="grid gap-2 rounded-lg border border-dashed border-line-strong bg-surface p-4">
      {agents.length === 0 && (
        <p>
          There is no agent yet.{" "}
          <Link to="/agents/new" search={home} className={link}>
            Make an agent
          </Link>
        </p>
      )}
      {environments.length === 0 && (
        <p>
          There is no environment yet, in which the tools of an agent run.{" "}
          <Link to="/environments" search={{ ...home, new: "environment" }} className={link}>
            Make an environment
          </Link>
        </p>
      )}
    </div>
  );
}

/**
 * `?agent=ID` chooses the agent, and an environment to try it in: the one of its last session, else the newest. Where
 * there is one of a kind, it is chosen.
 */
function useStart({ agents, environments, last }: Choices): Draft {
  const [{ agent }] = useSearchState();
  const asked = agents.find(({ id }) => id === agent);
  const only = (all: readonly { id: string }[]) => (all.length === 1 ? (all[0]?.id ?? "") : "");
  const used = environments.find(({ id }) => id === last?.environment_id);
  const tried = asked === undefined ? undefined : (used ?? environments[0])?.id;
  return {
    agent: asked?.id ?? only(agents),
    environment: tried ?? only(environments),
    title: "",
    message: "",
    stores: [],
    vaults: [],
    budget: "",
  };
}

function BeginForm(choices: Choices) {
  const { id: workspace, search: home } = useWorkspace();
  const navigate = useNavigate();
  const form = useForm({
    start: useStart(choices),
    save: (draft) => begin(workspace, draft),
    faultsOf,
    renew: () => forgetSessions(workspace),
    next: ({ id }) => void navigate({ to: "/sessions/$id", params: { id }, search: home }),
  });
  const { agents, environments, stores, vaults } = choices;
  const [{ agent }] = useSearchState();
  return (
    <div className="max-w-2xl">
      <Form form={form} label="Begin the session" isReady inPage>
        <SelectField
          label="Agent"
          choices={agents.map(({ id, name, version, model }) => ({
            value: id,
            label: name,
            hint: `Version ${version}, ${model.id}`,
          }))}
          {...form.choice("agent")}
        />
        <SelectField
          label="Environment"
          hint="Where the tools of the agent run."
          choices={environments.map(({ id, name, config }) => ({
            value: id,
            label: name,
            hint: config.type === "self_hosted" ? "Self-hosted" : "On this server",
          }))}
          {...form.choice("environment", "environment_id")}
        />
        <AreaField
          label="First message"
          hint="It may be left empty: then the session waits for you."
          rows={3}
          autoFocus={agent !== undefined}
          {...form.field("message")}
        />
        <TextField
          label="Title"
          hint="Without one, the session is called by its first words."
          maxLength={limits.titleCharactersMax}
          {...form.field("title")}
        />
        <GivenFields form={form} stores={stores} vaults={vaults} />
        <TextField
          label="Budget in dollars"
          hint="At list prices. Once it is spent the session rests. A budget cannot be added later."
          inputMode="decimal"
          placeholder="None"
          {...form.field("budget")}
        />
      </Form>
    </div>
  );
}

function GivenFields({
  form,
  stores,
  vaults,
}: { form: FormState<Draft> } & Pick<Choices, "stores" | "vaults">) {
  return (
    <>
      {stores.length > 0 && (
        <StoreFields
          stores={stores}
          chosen={form.values.stores}
          onChange={(chosen) => form.set({ stores: chosen })}
        />
      )}
      {vaults.length > 0 && (
        <VaultFields
          vaults={vaults}
          chosen={form.values.vaults}
          error={form.errorWithin("vault_ids")}
          onChange={(chosen) => form.set({ vaults: chosen })}
        />
      )}
    </>
  );
}

function VaultFields({
  vaults,
  chosen,
  error,
  onChange,
}: {
  vaults: readonly Vault[];
  chosen: readonly string[];
  error: string | undefined;
  onChange: (chosen: string[]) => void;
}) {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">Vaults</legend>
      <p className="mb-1 text-sm text-soft">
        Their credentials are used for the servers of the agent. None is added later.
      </p>
      <ul className="grid max-h-72 gap-1 overflow-y-auto rounded-md border border-line p-2">
        {vaults.map(({ id, display_name: name }) => (
          <li key={id}>
            <CheckField
              label={name}
              checked={chosen.includes(id)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))
              }
            />
          </li>
        ))}
      </ul>
      {error !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}
