// One environment: where it is, what it reaches, what is installed, and the keys of its workers.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { DetailPage } from "../kit/page/detail-page.tsx";
import { useIdOfPage } from "../kit/page/page-id.ts";
import type { Environment } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { useWorkspace, useWorkspaceOf } from "../kit/server/workspace.ts";
import { Badge } from "../kit/value/badge.tsx";
import { FactRow, Facts, IdRow, MetadataRow } from "../kit/value/facts.tsx";
import { Time } from "../kit/value/time.tsx";
import { environmentActs } from "./environment-acts.tsx";
import {
  environmentQueries,
  managerNames,
  managers,
  packageCount,
  typeWords,
  type CloudConfig,
} from "./environments.ts";
import { EnvironmentPackages } from "./packages/environment-packages.tsx";
import { EnvironmentSandboxes } from "./sandbox/environment-sandboxes.tsx";
import { RefusedOfEnvironment } from "./refused/refused-connections.tsx";
import { EnvironmentWork } from "./work/environment-work.tsx";
import { EnvironmentKeys } from "./keys/environment-keys.tsx";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search: home } = useWorkspace();
  const navigate = useNavigate();
  const read = useQuery(environmentQueries.one(workspace, id));
  const { isLooking } = useWorkspaceOf(id, read, (other) =>
    queryClient.fetchQuery(environmentQueries.one(other, id)),
  );
  const toList = () => void navigate({ to: "/environments", search: home });
  return (
    <DetailPage
      back={{ to: "/environments", search: home, label: "All environments" }}
      noun="Environment"
      read={read}
      isLooking={isLooking}
      titleOf={({ name }) => name}
      aboutOf={({ description }) => description}
      actsOf={(environment) => environmentActs(environment, workspace, toList)}
    >
      {(environment) => (
        <>
          <EnvironmentFacts environment={environment} />
          {environment.config.type === "cloud" && (
            <>
              {packageCount(environment.config) > 0 && (
                <EnvironmentPackages id={environment.id} workspace={workspace} />
              )}
              <EnvironmentSandboxes config={environment.config} workspace={workspace} />
              <RefusedOfEnvironment id={environment.id} workspace={workspace} />
            </>
          )}
          {environment.config.type === "self_hosted" && (
            <>
              <EnvironmentWork environment={environment} workspace={workspace} />
              <EnvironmentKeys environment={environment} workspace={workspace} />
            </>
          )}
        </>
      )}
    </DetailPage>
  );
}

function EnvironmentFacts({ environment }: { environment: Environment }) {
  const { id, config, metadata, archived_at: archived, created_at: created } = environment;
  return (
    <Facts>
      {archived !== null && (
        <FactRow name="State">
          <Badge>Archived</Badge> <Time at={archived} />: no session begins in it.
        </FactRow>
      )}
      <FactRow name="Runs">
        {typeWords[config.type]}
        <span className="block text-sm text-soft">
          {config.type === "cloud"
            ? "Each session has a sandbox of its own, made when its agent first uses a tool."
            : "A worker in your own network takes the work of sessions, with one of the keys below."}
        </span>
      </FactRow>
      {config.type === "cloud" && <CloudFacts config={config} />}
      <MetadataRow metadata={metadata} />
      <IdRow id={id} />
      <FactRow name="Created">
        <Time at={created} />
      </FactRow>
    </Facts>
  );
}

function CloudFacts({ config: { networking, packages } }: { config: CloudConfig }) {
  const installed = managerNames.filter((each) => packages[each].length > 0);
  return (
    <>
      <FactRow name="Reaches">
        {networking.type === "unrestricted" ? "Everything" : <Limited {...networking} />}
      </FactRow>
      <FactRow name="Packages">
        {installed.length === 0 && <span className="text-soft">None</span>}
        <ul className="grid gap-0.5">
          {installed.map((each) => (
            <li key={each} className="wrap-anywhere">
              <span className="text-soft">{managers[each]}:</span>{" "}
              <span className="font-mono text-sm">{packages[each].join(", ")}</span>
            </li>
          ))}
        </ul>
      </FactRow>
    </>
  );
}

function Limited(networking: Extract<CloudConfig["networking"], { type: "limited" }>) {
  const { allowed_hosts: hosts, allow_mcp_servers: mcp, allow_package_managers: may } = networking;
  if (hosts.length === 0 && !mcp && !may) return "Nothing";
  return (
    <ul className="grid gap-0.5">
      {hosts.map((host) => (
        <li key={host} className="font-mono text-sm wrap-anywhere">
          {host}
        </li>
      ))}
      {mcp && <li>The MCP servers of the agent</li>}
      {may && <li>Package managers</li>}
    </ul>
  );
}
