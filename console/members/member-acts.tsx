// What is done to a member. Each says what will happen before it does.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "../kit/form/act.ts";
import { api, type Member, type Role } from "../kit/server/api.ts";
import { memberQueries } from "./member-queries.ts";
import { queryClient } from "../kit/server/queries.ts";
import { roleHints, roleNames } from "./roles.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { SelectField, TextField } from "../kit/form/field.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { SetupLink } from "./setup-link.tsx";

export interface MemberAct {
  kind: "role" | "seat" | "sign_out" | "setup_link" | "transfer" | "remove";
  member: Member;
}

const titles: Record<MemberAct["kind"], string> = {
  role: "Change the role",
  seat: "Change the seat",
  sign_out: "Sign this person out?",
  setup_link: "Make a set-up link",
  transfer: "Hand on the ownership?",
  remove: "Remove this person?",
};

export function MemberActs({ act, onClose }: { act: MemberAct | undefined; onClose: () => void }) {
  // The words stay while the dialog fades out.
  const [last, setLast] = useState(act);
  useEffect(() => {
    if (act !== undefined) setLast(act);
  }, [act]);
  const shown = act ?? last;
  const forms = {
    role: RoleForm,
    seat: SeatForm,
    sign_out: SignOut,
    setup_link: SetupLink,
    transfer: Transfer,
    remove: Remove,
  };
  const Form = shown && forms[shown.kind];
  return (
    <Dialog
      open={act !== undefined}
      onClose={onClose}
      title={shown === undefined ? "" : titles[shown.kind]}
    >
      {shown !== undefined && Form !== undefined && (
        <Form key={shown.member.id + shown.kind} member={shown.member} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface FormProps {
  member: Member;
  onClose: () => void;
}

/** The frame of all of them: what is said, what went wrong, and the two ways out. */
function ActForm({
  onClose,
  run,
  done,
  label,
  ready = true,
  isBad = false,
  children,
}: {
  onClose: () => void;
  run: () => Promise<unknown>;
  done: string;
  label: string;
  ready?: boolean;
  isBad?: boolean;
  children: ReactNode;
}) {
  const act = useAct({
    mutationFn: run,
    onSuccess: () => {
      void queryClient.invalidateQueries();
      say.good(done);
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    act.mutate();
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      {children}
      {act.error !== null && <TroubleBox error={act.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look={isBad ? "danger" : "primary"}
          busy={act.isPending}
          disabled={!ready}
        >
          {label}
        </Button>
      </DialogActions>
    </form>
  );
}

const Name = ({ of }: { of: Member }) => (
  <strong className="font-semibold wrap-anywhere">{of.name}</strong>
);

function RoleForm({ member, onClose }: FormProps) {
  const [role, setRole] = useState<Role>(member.role);
  const params = { user_id: member.id };
  return (
    <ActForm
      onClose={onClose}
      run={() => api.members.set_role({ params, body: { role } })}
      done={`${member.name} is ${roleNames[role].toLowerCase()} now`}
      label="Change role"
      ready={role !== member.role}
    >
      <p>
        The new role of <Name of={member} /> holds within a second, also where they are signed in.
      </p>
      <RoleField roles={member.may.roles} present={member.role} role={role} onChange={setRole} />
    </ActForm>
  );
}

export function RoleField({
  roles,
  present,
  role,
  onChange,
  error,
}: {
  roles: readonly Role[];
  present?: Role;
  role: Role;
  onChange: (role: Role) => void;
  error?: string | undefined;
}) {
  const choices = present === undefined || roles.includes(present) ? roles : [present, ...roles];
  return (
    <SelectField
      label="Role"
      hint={roleHints[role]}
      value={role}
      error={error}
      onChange={(event) => onChange(event.target.value as Role)}
    >
      {choices.map((each) => (
        <option key={each} value={each}>
          {roleNames[each]}
        </option>
      ))}
    </SelectField>
  );
}

function SeatForm({ member, onClose }: FormProps) {
  const { data } = useQuery(memberQueries.seats);
  const tiers = data?.tiers ?? [];
  const present = tiers.find(({ name }) => name === member.seat_tier)?.id ?? "";
  const [chosen, setChosen] = useState<string>();
  const tier_id = chosen ?? present;
  return (
    <ActForm
      onClose={onClose}
      run={() => api.members.move_seat({ params: { user_id: member.id }, body: { tier_id } })}
      done={`The seat of ${member.name} is changed`}
      label="Change seat"
      ready={tier_id !== "" && tier_id !== present}
    >
      <p>
        The seat that <Name of={member} /> holds now is free for somebody else.
      </p>
      <SelectField label="Tier" value={tier_id} onChange={(event) => setChosen(event.target.value)}>
        {present === "" && <option value="">None</option>}
        {tiers.map(({ id, name, seats, taken }) => (
          <option key={id} value={id} disabled={id !== present && taken >= seats}>
            {name} ({seats - taken} free)
          </option>
        ))}
      </SelectField>
    </ActForm>
  );
}

function SignOut({ member, onClose }: FormProps) {
  return (
    <ActForm
      onClose={onClose}
      run={() => api.members.end_sign_ins({ params: { user_id: member.id } })}
      done={`${member.name} is signed out`}
      label="Sign out"
      isBad
    >
      <p>
        Every sign-in and access token of <Name of={member} /> ends within a second. They keep their
        role and may sign in again; keys that they made go on working.
      </p>
    </ActForm>
  );
}

function Remove({ member, onClose }: FormProps) {
  return (
    <ActForm
      onClose={onClose}
      run={() => api.members.delete({ params: { user_id: member.id } })}
      done={`${member.name} is removed`}
      label="Remove"
      isBad
    >
      <div className="grid gap-2">
        <p>
          Every sign-in and access token of <Name of={member} /> ends within a second, and they
          leave their groups and workspaces.
          {member.seat_tier !== null && " Their seat is free again."}
        </p>
        <p>
          Keys that they made go on working: archive those that only they knew. Their name stays in
          the audit log. To come back they need a new invite.
        </p>
      </div>
    </ActForm>
  );
}

function Transfer({ member, onClose }: FormProps) {
  const [email, setEmail] = useState("");
  return (
    <ActForm
      onClose={onClose}
      run={() => api.ownership.transfer({ body: { user_id: member.id, email: email.trim() } })}
      done={`${member.name} is the primary owner now`}
      label="Hand on the ownership"
      ready={keyOf(email.trim()) === keyOf(member.email)}
      isBad
    >
      <p>
        <Name of={member} /> becomes the primary owner, and you become an owner. Only they can give
        it back.
      </p>
      <TextField
        label={`Type ${member.email} to go on`}
        value={email}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setEmail(event.target.value)}
      />
    </ActForm>
  );
}

/** As the server compares addresses. */
const keyOf = (email: string) => email.toLowerCase().normalize("NFC");
