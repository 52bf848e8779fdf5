// What is known of a session beside its events: with what it runs, what it has used, what it was given.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { MountedRepository, Session } from "../../kit/server/api.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Fact } from "../../kit/value/facts.tsx";
import { SpentOf } from "../../kit/value/money.tsx";
import { Name } from "../../kit/value/name.tsx";
import { Time } from "../../kit/value/time.tsx";
import { spaced } from "../../kit/value/words.ts";
import { environmentQueries } from "../../environments/environments.ts";
import { ServerName } from "../../mcp-servers/known-servers.tsx";
import { vaultQueries } from "../../vaults/vaults.ts";
import { RefusedList, refusedQueries } from "../../environments/refused/refused-connections.tsx";
import { sessionQueries } from "../session-queries.ts";
import { SessionStatus } from "../session-status.tsx";
import { durationText } from "../sessions.ts";
import { ObjectLink, RequestsLink } from "../../kit/value/object-link.tsx";

const link = "text-accent underline-offset-2 hover:underline wrap-anywhere";
const count = (tokens: number) => tokens.toLocaleString("en");

export function SessionFacts({ session }: { session: Session }) {
  const { id: workspace, search: home } = useWorkspace();
  const { agent, usage, stats, budget, environment_id: environment } = session;
  const { data: place } = useQuery(environmentQueries.one(workspace, environment));
  return (
    <div className="grid gap-4">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3">
        <Fact name="Status">
          <span role="status">
            <SessionStatus status={session.status} />
          </span>
        </Fact>
        <Fact name="Begun">
          <Time at={session.created_at} />
        </Fact>
        <Fact name="Agent">
          <Link
            to="/agents/$id"
            params={{ id: agent.id }}
            search={{ ...home, version: String(agent.version) }}
            className={link}
          >
            {agent.name}
          </Link>{" "}
          <span className="text-sm font-normal text-soft">v{agent.version}</span>
        </Fact>
        <Fact name="Model">
          <ObjectLink id={agent.model.id} kind="model" />
        </Fact>
        <Fact name="Environment">
          <Link to="/environments/$id" params={{ id: environment }} search={home} className={link}>
            {place?.name ?? environment}
          </Link>
        </Fact>
        {session.deployment_id !== null && (
          <Fact name="Deployment">
            <Link
              to="/deployments/$id"
              params={{ id: session.deployment_id }}
              search={home}
              className={link}
            >
              <Name id={session.deployment_id} />
            </Link>
          </Fact>
        )}
        <Fact name="Worked">{durationText(stats.active_seconds)}</Fact>
        <Fact name="Input">{count(usage.input_tokens)} tokens</Fact>
        <Fact name="Output">{count(usage.output_tokens)} tokens</Fact>
        {usage.cache_read_input_tokens > 0 && (
          <Fact name="Read from cache">{count(usage.cache_read_input_tokens)} tokens</Fact>
        )}
      </dl>
      <RequestsLink of={{ session_id: session.id }} />
      <Part title="Cost">
        <SpentOf
          spent={usage.list_cost.amount}
          limit={budget?.max_list_cost.amount ?? null}
          without=", no budget"
        />
      </Part>
      <Servers named={agent.mcp_servers} />
      <Unlocks vaults={session.vault_ids} />
      <Given session={session} />
      <Outcomes session={session} />
      <Told session={session} />
    </div>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h2 className="mb-1 text-sm text-soft">{title}</h2>
    {children}
  </section>
);

function Servers({ named }: { named: Session["agent"]["mcp_servers"] }) {
  if (named.length === 0) return null;
  return (
    <Part title="MCP servers">
      <ul aria-label="MCP servers" className="grid gap-1">
        {named.map(({ name, url }) => (
          <li key={name} className="wrap-anywhere">
            <ServerName name={name} url={url} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Unlocks({ vaults }: { vaults: readonly string[] }) {
  const { search: home } = useWorkspace();
  if (vaults.length === 0) return null;
  return (
    <Part title="Vaults">
      <ul aria-label="Vaults" className="grid gap-1">
        {vaults.map((id) => (
          <li key={id}>
            <Link to="/vaults/$id" params={{ id }} search={home} className={link}>
              <VaultName id={id} />
            </Link>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function VaultName({ id }: { id: string }) {
  const { id: workspace } = useWorkspace();
  const { data } = useQuery(vaultQueries.one(workspace, id));
  return data?.display_name ?? id;
}

function Given({ session: { id: session, resources } }: { session: Session }) {
  const { id: workspace, search: home } = useWorkspace();
  const { data: told } = useQuery(sessionQueries.mountNotes(workspace, session));
  if (resources.length === 0) return null;
  return (
    <Part title="What it was given">
      <ul aria-label="What it was given" className="grid gap-1.5">
        {resources.map((each) => (
          <li key={each.mount_path} className="wrap-anywhere">
            {each.type === "memory_store" ? (
              <>
                <Link
                  to="/memory/$id"
                  params={{ id: each.memory_store_id }}
                  search={home}
                  className={link}
                >
                  {each.name}
                </Link>{" "}
                {each.access === "read_only" && <Badge>Read only</Badge>}
              </>
            ) : each.type === "file" ? (
              <span className="font-mono text-sm">{each.file_id}</span>
            ) : (
              each.url
            )}
            <span className="block font-mono text-sm text-soft">{each.mount_path}</span>
            {each.type === "github_repository" && (
              <Cloned repository={told?.repositories.find(({ id }) => id === each.id)} />
            )}
          </li>
        ))}
      </ul>
    </Part>
  );
}

const cloneStates = {
  waiting: { word: "Cloned when a tool is first used", tone: "neutral" },
  cloned: { word: "Cloned", tone: "good" },
  failed: { word: "Not cloned", tone: "bad" },
} as const;

/** Undefined where workers clone it themselves. */
function Cloned({ repository }: { repository: MountedRepository | undefined }) {
  if (repository === undefined) return null;
  const { state, message, tried_at: at } = repository;
  return (
    <>
      <Badge tone={cloneStates[state].tone}>{cloneStates[state].word}</Badge>
      {message !== null && (
        <span className="mt-1 block text-sm wrap-anywhere">
          {message}
          {at !== null && (
            <span className="block text-soft">
              Tried <Time at={at} />. A later call tries again, with another token at once.
            </span>
          )}
        </span>
      )}
    </>
  );
}

function Outcomes({ session: { outcome_evaluations: outcomes } }: { session: Session }) {
  if (outcomes.length === 0) return null;
  return (
    <Part title="Outcomes">
      <ul className="grid gap-2">
        {outcomes.map(({ outcome_id: id, description, result, iteration, explanation }) => (
          <li key={id} className="wrap-anywhere">
            {description} <Badge>{spaced(result)}</Badge>
            <span className="block text-sm text-soft">
              Round {iteration + 1}
              {explanation !== null && `: ${explanation}`}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** What the agent was told beside the results of its calls: no event says it. */
function Told({ session: { id } }: { session: Session }) {
  const { id: workspace } = useWorkspace();
  const { data: told } = useQuery(sessionQueries.mountNotes(workspace, id));
  // Of a repository it is said where it is listed.
  const notes = told?.data.filter((note) => note.resource_id === null) ?? [];
  const { data: refused = [] } = useQuery(refusedQueries.ofSession(workspace, id));
  return (
    <>
      {notes.length > 0 && (
        <Part title="What of its files was not kept as written">
          <ul aria-label="Files that were not kept as written" className="grid gap-1.5">
            {notes.map((note) => (
              <li key={note.id} className="wrap-anywhere">
                {note.text}
                <span className="block text-sm text-soft">
                  <Time at={note.created_at} />
                </span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {refused.length > 0 && (
        <Part title="Refused connections">
          <RefusedList refused={refused} />
        </Part>
      )}
    </>
  );
}
