// What an agent is made of, to read.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Card, Section } from "../kit/page/page-header.tsx";
import type { Agent } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { Badge } from "../kit/value/badge.tsx";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { FactRow, Facts, IdRow, MetadataRow } from "../kit/value/facts.tsx";
import { useNames } from "../kit/value/names.ts";
import { Time } from "../kit/value/time.tsx";
import { skillQueries } from "../skills/skill-queries.ts";
import { AgentTools } from "./agent-tools.tsx";
import { effortOf } from "./agents.ts";
import { ObjectLink } from "../kit/value/object-link.tsx";

export function AgentParts({ agent }: { agent: Agent }) {
  const { system, tools, skills } = agent;
  return (
    <>
      <AgentFacts agent={agent} />
      <Section title="Prompt" actions={system !== null && <CopyButton text={system} />}>
        {system === null ? (
          <p className="text-soft">None: the model is told nothing beforehand.</p>
        ) : (
          <pre
            tabIndex={0}
            role="region"
            aria-label="Prompt"
            className="max-h-96 overflow-auto rounded-lg border border-line bg-surface p-4 font-sans whitespace-pre-wrap wrap-anywhere"
          >
            {system}
          </pre>
        )}
      </Section>
      <Section title="Tools">
        {tools.length === 0 ? (
          <p className="text-soft">None: it answers, and does nothing else.</p>
        ) : (
          <AgentTools agent={agent} />
        )}
      </Section>
      {skills.length > 0 && <AgentSkills agent={agent} />}
    </>
  );
}

function AgentFacts({ agent }: { agent: Agent }) {
  const { id, version, model, metadata, multiagent, execution_identity: identity } = agent;
  const effort = effortOf(agent);
  const isFast = model.speed === "fast";
  return (
    <Facts>
      {agent.archived_at !== null && (
        <FactRow name="State">
          <Badge>Archived</Badge> <Time at={agent.archived_at} />: no session begins with it, and
          nothing of it changes.
        </FactRow>
      )}
      <FactRow name="Model">
        <span className="font-medium">
          <ObjectLink id={model.id} kind="model" />
        </span>
        <span className="text-soft">
          {effort !== undefined && `, ${effort} effort`}
          {isFast && ", fast"}
          {model.inference_geo !== undefined && `, in ${model.inference_geo}`}
        </span>
      </FactRow>
      <FactRow name="Version">
        {version} <span className="text-soft">saved</span> <Time at={agent.updated_at} />
      </FactRow>
      {multiagent !== null && (
        <FactRow name="Other agents">
          <Members multiagent={multiagent} />
        </FactRow>
      )}
      {identity.type === "aws_role" && (
        <FactRow name="Runs as">
          <code className="font-mono text-sm break-all">{identity.role_arn}</code>
        </FactRow>
      )}
      <MetadataRow metadata={metadata} />
      <IdRow id={id} />
      <FactRow name="Created">
        <Time at={agent.created_at} />
      </FactRow>
    </Facts>
  );
}

/** All that it may call, each once, whatever it calls them for. */
function Members({ multiagent }: { multiagent: Multiagent }) {
  const { search } = useWorkspace();
  const nameOf = useNames();
  const { members, notes } = membersOf(multiagent);
  return (
    <>
      <ul className="grid gap-0.5">
        {members.map((member) => (
          <li key={JSON.stringify(member)} className="wrap-anywhere">
            {member.type === "advisor" ? (
              `${member.model}, asked for advice`
            ) : (
              <>
                <Link
                  to="/agents/$id"
                  params={{ id: member.id }}
                  search={{ ...search, version: String(member.version) }}
                  className="text-accent underline-offset-2 hover:underline"
                >
                  {nameOf(member.id) ?? member.id}
                </Link>{" "}
                <span className="text-sm text-soft">version {member.version}</span>
              </>
            )}
          </li>
        ))}
      </ul>
      {notes !== "" && <p className="text-sm text-soft">{notes}</p>}
    </>
  );
}

type Multiagent = NonNullable<Agent["multiagent"]>;
type Member = Extract<Multiagent, { type: "coordinator" }>["agents"][number];

function membersOf(multiagent: Multiagent): { members: Member[]; notes: string } {
  if (multiagent.type === "coordinator") return { members: multiagent.agents, notes: "" };
  const { subagents, workflows, advisor } = multiagent;
  const named = [subagents, workflows].flatMap((each) =>
    each.type === "enabled" ? each.predefined_agents : [],
  );
  const once = new Map(named.map((member) => [`${member.id} ${member.version}`, member]));
  const asked: Member[] =
    advisor.type === "enabled" ? [{ type: "advisor", model: advisor.model }] : [];
  const notes = [
    `Subagents ${subagents.type}`,
    `workflows ${workflows.type}`,
    ...([subagents, workflows].some(
      (each) => each.type === "enabled" && each.inline_agents.type === "enabled",
    )
      ? ["it may make agents of its own"]
      : []),
  ];
  return { members: [...once.values(), ...asked], notes: `${notes.join(", ")}.` };
}

function AgentSkills({ agent: { skills } }: { agent: Agent }) {
  const { id: workspace, search } = useWorkspace();
  const maySee = useMe().permissions.includes("skills:use");
  const { data = [] } = useQuery({ ...skillQueries.all(workspace), enabled: maySee });
  return (
    <Section title="Skills">
      <Card className="p-0!">
        <ul className="divide-y divide-line">
          {skills.map(({ skill_id: id, version }) => {
            const known = data.find((each) => each.id === id);
            const isNewest = known?.latest_version_id === version;
            return (
              <li key={id} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2">
                <Link
                  to="/skills/$id"
                  params={{ id }}
                  search={{ ...search, version: isNewest ? undefined : version }}
                  className="font-medium text-accent underline-offset-2 wrap-anywhere hover:underline"
                >
                  {known?.display_name ?? id}
                </Link>
                {known !== undefined && (
                  <span className="text-sm text-soft">
                    {isNewest ? "The newest version" : "An older version; there is a newer one"}
                  </span>
                )}
              </li>
            );
          })}
        </ul>
      </Card>
    </Section>
  );
}
