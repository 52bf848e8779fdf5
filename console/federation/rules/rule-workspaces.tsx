// Where tokens of a rule work: its workspaces, and whether its account is in them.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { server } from "../../kit/server/api.ts";
import { federationQueries, renewFederation, useWorkspaces, type Rule } from "../federation.ts";
import { useMe } from "../../kit/server/queries.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Button, IconButton } from "../../kit/page/button.tsx";
import { FilterSelect } from "../../kit/form/select.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import { say } from "../../kit/page/say.ts";

export function RuleWorkspaces({ rule, mayWrite }: { rule: Rule; mayWrite: boolean }) {
  const { nameOf } = useWorkspaces();
  if (!rule.oauth_scope.includes("workspace:")) return null;
  return (
    <Section title="Workspaces" note="Where its tokens work.">
      {rule.applies_to_all_workspaces ? (
        <p>
          All that the service account is in. A workload names one with{" "}
          <code className="font-mono text-sm">ANTHROPIC_WORKSPACE_ID</code>; else it is the default
          one.
        </p>
      ) : (
        <>
          <ul className="grid gap-2 sm:grid-cols-2">
            {rule.workspace_ids.map((id) => (
              <Place key={id} rule={rule} id={id} name={nameOf(id)} mayWrite={mayWrite} />
            ))}
          </ul>
          {rule.workspace_ids.length > 1 && (
            <p className="mt-2 text-sm text-soft">
              A workload has to name one of them with{" "}
              <code className="font-mono">ANTHROPIC_WORKSPACE_ID</code>.
            </p>
          )}
          {mayWrite && <Add rule={rule} />}
        </>
      )}
    </Section>
  );
}

interface PlaceProps {
  rule: Rule;
  id: string;
  name: string;
  mayWrite: boolean;
}

function Place({ rule, id, name, mayWrite }: PlaceProps) {
  const { permissions } = useMe();
  const accountId = rule.target.service_account_id;
  const { data } = useQuery({
    ...federationQueries.memberships(accountId),
    enabled: permissions.includes("service_accounts:read"),
  });
  const isOutside = data?.data.every(({ workspace_id: other }) => other !== id) === true;
  const remove = useAct({
    mutationFn: () =>
      server.federation_rules.workspaces.remove({
        params: { federation_rule_id: rule.id, workspace_id: id },
      }),
    onSuccess: async () => {
      await renewFederation();
      say.good(`The rule gives no more tokens for ${name}`);
    },
    onError: say.error,
  });
  return (
    <li className="flex min-w-0 items-center gap-2 rounded-lg border border-line bg-surface px-4 py-2">
      <span className="min-w-0 flex-1">
        <span className="font-medium wrap-anywhere">{name}</span>
        {isOutside && (
          <span className="flex flex-wrap items-center gap-2 text-sm">
            <Badge tone="warn">Gives nothing yet</Badge>
            <Link
              to="/service-accounts/$id"
              params={{ id: accountId }}
              className="text-accent underline underline-offset-2 wrap-anywhere"
            >
              Add {rule.target.service_account_name} to it
            </Link>
          </span>
        )}
      </span>
      {mayWrite && rule.workspace_ids.length > 1 && (
        <IconButton label={`Remove ${name}`} onClick={() => remove.mutate()}>
          <X size={16} aria-hidden />
        </IconButton>
      )}
    </li>
  );
}

function Add({ rule }: { rule: Rule }) {
  const { live, nameOf } = useWorkspaces();
  const [chosen, setChosen] = useState("");
  const free = live.filter(({ id }) => !rule.workspace_ids.includes(id));
  const add = useAct({
    mutationFn: () =>
      server.federation_rules.workspaces.add({
        params: { federation_rule_id: rule.id },
        body: { workspace_id: chosen },
      }),
    onSuccess: async () => {
      await renewFederation();
      say.good(`The rule is enabled for ${nameOf(chosen)}`);
      setChosen("");
    },
    onError: say.error,
  });
  if (free.length === 0) return null;
  function submit(event: FormEvent): void {
    event.preventDefault();
    add.mutate();
  }
  return (
    <form onSubmit={submit} className="mt-3 flex flex-wrap gap-2">
      <FilterSelect
        label="Another workspace"
        value={chosen}
        choices={[
          { value: "", label: "Another workspace" },
          ...free.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={setChosen}
      />
      <Button type="submit" busy={add.isPending} disabled={chosen === ""}>
        Enable
      </Button>
    </form>
  );
}
