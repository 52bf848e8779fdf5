// What is done to a pending invite: a new link, the mail again, or its end.
import { useEffect, useState } from "react";
import { useAct } from "../../kit/form/act.ts";
import { api, type Invite, type InviteWithLink } from "../../kit/server/api.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { Button } from "../../kit/page/button.tsx";
import { Dialog, DialogActions } from "../../kit/form/dialog.tsx";
import { say } from "../../kit/page/toast.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { LinkStep } from "./invite.tsx";

export interface InviteAct {
  kind: "link" | "send" | "withdraw";
  invite: Invite;
}

const words = {
  link: {
    title: "Make a new link?",
    label: "Make a new link",
    text: "The link that was handed over before is dead at once. The new one is shown to you once.",
  },
  send: {
    title: "Send the invite again?",
    label: "Send again",
    text: "It is sent with a new link; the one before is dead at once.",
  },
  withdraw: {
    title: "Withdraw this invite?",
    label: "Withdraw",
    text: "Its link is dead at once, and its seat is free again. To invite them later, make a new one.",
  },
} as const;

export function InviteActs({ act, onClose }: { act: InviteAct | undefined; onClose: () => void }) {
  const [last, setLast] = useState(act);
  const [made, setMade] = useState<InviteWithLink>();
  useEffect(() => {
    if (act !== undefined) setLast(act);
  }, [act]);
  const shown = act ?? last;
  function close(): void {
    setMade(undefined);
    onClose();
  }
  if (shown === undefined) return null;
  return (
    <Dialog
      open={act !== undefined || made !== undefined}
      onClose={close}
      title={made === undefined ? words[shown.kind].title : `The link for ${made.invite.email}`}
      locked={made !== undefined}
    >
      {made === undefined ? (
        <Form key={shown.invite.id + shown.kind} act={shown} onMade={setMade} onClose={close} />
      ) : (
        <LinkStep made={made} hasMail={false} onDone={close} />
      )}
    </Dialog>
  );
}

function Form({
  act: { kind, invite },
  onMade,
  onClose,
}: {
  act: InviteAct;
  onMade: (made: InviteWithLink) => void;
  onClose: () => void;
}) {
  const params = { invite_id: invite.id };
  const run = useAct({
    mutationFn: async () => {
      if (kind === "link") return api.invites.link({ params });
      if (kind === "send") await api.invites.send({ params });
      else await api.invites.delete({ params });
      return undefined;
    },
    gcTime: 0,
    onSuccess: (made) => {
      void queryClient.invalidateQueries();
      if (made !== undefined) return onMade(made);
      say.good(kind === "send" ? `On its way to ${invite.email}` : "The invite is withdrawn");
      onClose();
    },
  });
  return (
    <div className="grid gap-4">
      <p>
        <strong className="font-semibold wrap-anywhere">{invite.email}</strong>: {words[kind].text}
      </p>
      {run.error !== null && <TroubleBox error={run.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look={kind === "withdraw" ? "danger" : "primary"}
          busy={run.isPending}
          onClick={() => run.mutate()}
        >
          {words[kind].label}
        </Button>
      </DialogActions>
    </div>
  );
}
