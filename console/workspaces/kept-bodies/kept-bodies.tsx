// What a workspace keeps of what is said in its requests: nothing, until an administrator says otherwise.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import { plural } from "../../../client/text/words.ts";
import type { RequestBodySettings } from "../../../contract/types.ts";
import { confirm } from "../../kit/dialog/confirmation.tsx";
import { Button } from "../../kit/page/button.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import { Skeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { api } from "../../kit/server/api.ts";
import { queryClient, useMe } from "../../kit/server/queries.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { FactRow, Facts } from "../../kit/value/facts.tsx";
import { bytesText } from "../../kit/value/sizes.ts";
import { Time } from "../../kit/value/time.tsx";
import { standing, type Workspace } from "../workspaces.ts";
import { editKeptBodies } from "./kept-bodies-form.tsx";

const settingsQuery = (id: string) =>
  queryOptions({
    queryKey: ["workspaces", "request_bodies", id],
    queryFn: () => api.workspaces.request_bodies.retrieve({ params: { workspace_id: id } }),
  });

export const renewKeptBodies = (id: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: settingsQuery(id).queryKey });

export function KeptBodies({ workspace }: { workspace: Workspace }) {
  const { id, archived_at: archived } = workspace;
  const { data, error, refetch } = useQuery(settingsQuery(id));
  const { mayChange } = standing(useMe(), id);
  return (
    <Section
      title="What is said"
      note="What programs and people say to models here, and what these answer, beside the log of requests."
      actions={
        mayChange &&
        data !== undefined && (
          <span className="flex flex-wrap gap-2">
            <Button onClick={() => deleteKept(workspace)}>
              <Trash2 size={16} aria-hidden />
              Delete what was kept
            </Button>
            {archived === null && (
              <Button onClick={() => editKeptBodies(data, () => renewKeptBodies(id))}>
                <Pencil size={16} aria-hidden />
                Change what is kept
              </Button>
            )}
          </span>
        )
      }
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton className="h-24" />}
      {data !== undefined && <Kept settings={data} />}
    </Section>
  );
}

function Kept({ settings }: { settings: RequestBodySettings }) {
  const { enabled, max_bytes: bytes, kept_days: days, kept_since: since } = settings;
  return (
    <Facts>
      <FactRow name="Kept">
        {enabled ? <Badge tone="accent">Kept, encrypted</Badge> : <Badge>Not kept</Badge>}
        <span className="block text-sm text-soft">
          {enabled
            ? "Administrators can read it; each look stands in the audit log."
            : "Nothing of what is said is written down. What was kept before stays for its time."}
        </span>
      </FactRow>
      {enabled && (
        <>
          <FactRow name="How much">
            The first {bytesText(bytes)} of a request, and of its answer
          </FactRow>
          <FactRow name="How long">{plural(days, "day")}</FactRow>
          <FactRow name="Without">
            <span className="wrap-anywhere">
              {["secrets", "pictures and documents", ...settings.redact.map(ruleText)].join(", ")}
            </span>
          </FactRow>
        </>
      )}
      {since !== null && (
        <FactRow name="Deleted">
          What came before <Time at={since} />
        </FactRow>
      )}
    </Facts>
  );
}

const kinds = { email: "e-mail addresses", phone: "phone numbers", card_number: "card numbers" };

function ruleText(rule: RequestBodySettings["redact"][number]): string {
  if (rule.type === "field") return `the field ${rule.field}`;
  return rule.type === "word" ? `“${rule.word}”` : kinds[rule.type];
}

const deleteKept = ({ id, name }: Workspace) =>
  confirm({
    title: "Delete what was kept?",
    label: "Delete it",
    keep: "Keep it",
    run: () => api.workspaces.request_bodies.delete({ params: { workspace_id: id } }),
    done: `What ${name} had kept is deleted`,
    renew: () => void renewKeptBodies(id),
    children: (
      <p>
        All that was said in this workspace until now goes for ever, also what is still on its way.
        The log of requests stays, without it. Whether more is kept from now on does not change.
      </p>
    ),
  });
