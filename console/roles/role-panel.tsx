// One role: everything that it gives, in words, and the groups that have it.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { Source } from "../groups/group-source.tsx";
import { groupQueries, modelsOf, type Action, type Role } from "../groups/groups.ts";
import { Dialog } from "../kit/dialog/dialog.tsx";
import { useLast } from "../kit/dialog/last.ts";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { Badge } from "../kit/value/badge.tsx";

/** Which role is open stands in the address, so that a page of a group leads to it. */
export function RolePanel({ role, onClose }: { role: Role | undefined; onClose: () => void }) {
  const shown = useLast(role);
  return (
    <Dialog
      open={role !== undefined}
      onClose={onClose}
      title={shown?.display_name ?? ""}
      {...(shown !== undefined && shown.description !== "" && { description: shown.description })}
    >
      {shown !== undefined && (
        <div className="grid gap-5">
          <Gives role={shown} />
          <Holders role={shown} />
        </div>
      )}
    </Dialog>
  );
}

function Gives({ role: { actions } }: { role: Role }) {
  const { data, error } = useQuery(groupQueries.actions);
  const known = data?.data.filter(({ action }) => actions.includes(action)) ?? [];
  const models = modelsOf(actions).map((id) => ({ action: id, gives: `The model ${id}` }));
  return (
    <section>
      <h3 className="mb-1.5 font-medium">Gives</h3>
      {error !== null && <TroubleBox error={error} />}
      <ul className="grid gap-1">
        {[...known, ...models].map((word: Pick<Action, "action" | "gives">) => (
          <li key={word.action} className="flex items-baseline gap-2">
            <Check size={15} aria-hidden className="shrink-0 translate-y-0.5 text-good" />
            <span className="min-w-0 wrap-anywhere">
              {word.gives}{" "}
              {"grants_owner_access" in word && word.grants_owner_access === true && (
                <Badge tone="warn">Owner access</Badge>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Holders({ role }: { role: Role }) {
  const { data, error } = useQuery(groupQueries.holders(role.id));
  return (
    <section>
      <h3 className="mb-1.5 font-medium">Groups that have it</h3>
      {error !== null && <TroubleBox error={error} />}
      {data === undefined && error === null && <RowsSkeleton rows={2} />}
      {data?.data.length === 0 && (
        <p className="text-soft">None yet. Open a group and choose Change roles.</p>
      )}
      <ul className="grid gap-1">
        {data?.data.map((group) => (
          <li key={group.id} className="flex flex-wrap items-center gap-2">
            <Link
              to="/groups/$id"
              params={{ id: group.id }}
              className="text-accent underline underline-offset-2 wrap-anywhere max-md:py-2"
            >
              {group.name}
            </Link>
            {group.source_type === "scim" && <Source of={group} />}
          </li>
        ))}
      </ul>
      {data?.has_more === true && <p className="mt-1 text-sm text-soft">And others.</p>}
    </section>
  );
}
