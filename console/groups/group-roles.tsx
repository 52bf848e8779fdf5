// Which roles a group has: what each gives, and the choice of them.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { Button } from "../kit/page/button.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { api } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { Badge } from "../kit/value/badge.tsx";
import { RoleNames } from "./group-source.tsx";
import { groupQueries, renewGroups, summaryOf, type OneGroup } from "./groups.ts";

export function GroupRoles({ group }: { group: OneGroup }) {
  const mayGive = useMe().permissions.includes("roles:write") && group.role_ids !== null;
  const { data } = useQuery(groupQueries.roles);
  const held = data?.data.filter(({ id }) => group.role_ids?.includes(id) === true) ?? [];
  return (
    <Section
      title="Roles"
      note="Managed members of this group have what they give, all together."
      actions={mayGive && <Button onClick={() => chooseRoles(group)}>Change roles</Button>}
    >
      {held.length === 0 ? (
        <RoleNames ids={group.role_ids} roles={data?.data} />
      ) : (
        <ul className="grid gap-2 sm:grid-cols-2">
          {held.map((role) => (
            <li key={role.id} className="rounded-lg border border-line bg-surface px-4 py-3">
              <Link
                to="/roles"
                search={{ role: role.id }}
                className="font-medium text-accent underline-offset-2 wrap-anywhere hover:underline"
              >
                {role.display_name}
              </Link>
              <p className="text-sm text-soft">{summaryOf(role.actions)}</p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const chooseRoles = (group: OneGroup) =>
  openDialog({
    title: `Roles of ${group.name}`,
    description: "What the roles give adds up. It holds for managed members of the group at once.",
    body: <RolesForm group={group} />,
  });

function RolesForm({ group }: { group: OneGroup }) {
  const { data, error } = useQuery(groupQueries.roles);
  const form = useForm({
    start: { role_ids: group.role_ids ?? [] },
    save: (body) => api.rbac_groups.set_roles({ params: { rbac_group_id: group.id }, body }),
    done: () => `The roles of ${group.name} are changed`,
    renew: () => renewGroups(),
  });
  const { role_ids: chosen } = form.values;
  return (
    <Form form={form} label="Save roles" isReady={data !== undefined}>
      {data === undefined && error === null && <RowsSkeleton rows={3} />}
      <ul className="grid gap-1.5">
        {data?.data.map((role) => (
          <li key={role.id}>
            <label className="flex cursor-pointer items-baseline gap-2.5 rounded-md border border-line-strong p-3 has-checked:border-accent has-checked:bg-accent-soft">
              <input
                type="checkbox"
                className="accent-accent"
                checked={chosen.includes(role.id)}
                onChange={({ target }) => {
                  const others = chosen.filter((other) => other !== role.id);
                  form.set({ role_ids: target.checked ? [...others, role.id] : others });
                }}
              />
              <span className="min-w-0 flex-1">
                <span className="flex flex-wrap items-baseline gap-x-2">
                  <span className="font-medium wrap-anywhere">{role.display_name}</span>
                  {role.grants_owner_access && <Badge tone="warn">Owner access</Badge>}
                </span>
                <span className="block text-sm text-soft">{summaryOf(role.actions)}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {error !== null && <TroubleBox error={error} />}
    </Form>
  );
}
