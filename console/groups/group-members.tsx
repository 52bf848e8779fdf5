// Who is in a group: the list, adding a person by e-mail, and removing one.
import { UserPlus, UsersRound, X } from "lucide-react";
import { confirm, Named } from "../kit/dialog/confirmation.tsx";
import { TextField } from "../kit/form/field.tsx";
import { Fault, Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { Button, IconButton } from "../kit/page/button.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { server } from "../kit/server/api.ts";
import { spaced } from "../kit/value/words.ts";
import { groupQueries, renewGroups, type GroupMember, type OneGroup } from "./groups.ts";
import { ObjectLink } from "../kit/value/object-link.tsx";

export function GroupMembers({ group, mayWrite }: { group: OneGroup; mayWrite: boolean }) {
  const list = usePagedList(groupQueries.members(group.id));
  const add = mayWrite && (
    <Button look="primary" onClick={() => addMember(group)}>
      <UserPlus size={16} aria-hidden />
      Add member
    </Button>
  );
  return (
    <Section title="Members" actions={list.rows.length > 0 && add}>
      <ListView
        label="Members"
        noun="member"
        icon={UsersRound}
        list={list}
        columns={mayWrite ? [...columns, removeColumn(group)] : columns}
        empty={{
          title: "Nobody is in this group",
          action: add,
          children:
            group.controlled_by === null
              ? "Whoever is added has at once what the roles of the group give."
              : `${group.controlled_by} adds its members.`,
        }}
      />
    </Section>
  );
}

const columns: Column<GroupMember>[] = [
  nameColumn({
    name: ({ id, name }) => <ObjectLink id={id}>{name}</ObjectLink>,
    below: ({ email }) => email,
  }),
  {
    title: "Role",
    cell: ({ role }) =>
      role === "managed" ? (
        "Managed"
      ) : (
        <span title="Has what this role gives, and nothing by groups">
          {spaced(role)} <span className="text-soft">(not by groups)</span>
        </span>
      ),
  },
  timeColumn("Added", ({ created_at: at }) => at),
];

/** One act needs no menu. */
const removeColumn = (group: OneGroup): Column<GroupMember> => ({
  title: "Acts",
  bare: true,
  className: "text-right",
  cell: (member) => (
    <IconButton label={`Remove ${member.name}`} onClick={() => remove(group, member)}>
      <X size={16} aria-hidden />
    </IconButton>
  ),
});

const addMember = (group: OneGroup) =>
  openDialog({
    title: `Add a member to ${group.name}`,
    description: "Somebody who is a member of the organization already.",
    body: <AddForm group={group} />,
  });

function AddForm({ group }: { group: OneGroup }) {
  const form = useForm({
    start: { email: "" },
    save: async ({ email }) => {
      const person = await find(email.trim());
      const params = { rbac_group_id: group.id };
      await server.rbac_groups.members.add({ params, body: { user_id: person.id } });
      return person;
    },
    done: ({ name }) => `${name} is in ${group.name}`,
    renew: () => renewGroups(),
  });
  return (
    <Form form={form} label="Add member" isReady={form.values.email.trim() !== ""}>
      <TextField
        label="E-mail"
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        {...form.field("email")}
      />
    </Form>
  );
}

async function find(email: string) {
  const { data } = await server.users.list({ query: { email, limit: 2 } });
  const [person] = data;
  if (person === undefined)
    throw new Fault(
      `Nobody in the organization has the address ${email}. Invite them on the page Members first.`,
    );
  return person;
}

const remove = (group: OneGroup, { name, user_id }: GroupMember) =>
  confirm({
    title: "Remove from the group?",
    label: "Remove",
    run: () => server.rbac_groups.members.remove({ params: { rbac_group_id: group.id, user_id } }),
    done: `${name} is not in ${group.name} any more`,
    renew: () => renewGroups(),
    children: (
      <p>
        <Named>{name}</Named> loses what {group.name} gives, within a second and wherever they are
        signed in, and stays a member of the organization.
      </p>
    ),
  });
