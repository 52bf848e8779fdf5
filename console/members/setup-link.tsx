// The way back for a member who lost their password and their passkeys: a link, shown once.
import { useState } from "react";
import { api, type Member } from "../kit/server/api.ts";
import { useProvenAct } from "../kit/identity/proven.tsx";
import { exactTime } from "../kit/value/time.ts";
import { Button } from "../kit/page/button.tsx";
import { DialogActions } from "../kit/form/dialog.tsx";
import { SecretBox } from "../kit/form/secret-box.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

type Made = Awaited<ReturnType<typeof api.setup_links.create>>;

export function SetupLink({ member, onClose }: { member: Member; onClose: () => void }) {
  const [made, setMade] = useState<Made>();
  const { proof, ...make } = useProvenAct({
    mutationFn: () => api.setup_links.create({ params: { user_id: member.id } }),
    onSuccess: setMade,
  });
  if (made !== undefined) return <Shown made={made} member={member} onDone={onClose} />;
  return (
    <div className="grid gap-4">
      <p>
        Whoever opens the link sets the password of{" "}
        <strong className="font-semibold wrap-anywhere">{member.name}</strong> and is signed in as
        them; their passkeys and other sign-ins end. It is for somebody who cannot sign in any more,
        and for nobody else.
      </p>
      {make.error !== null && <TroubleBox error={make.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" busy={make.isPending} onClick={() => make.mutate()}>
          Make the link
        </Button>
      </DialogActions>
      {proof}
    </div>
  );
}

function Shown({ made, member, onDone }: { made: Made; member: Member; onDone: () => void }) {
  return (
    <div className="grid gap-4">
      <p>
        Hand it over yourself. It works once, until {exactTime(made.expires_at)}, and{" "}
        <strong className="font-semibold">it is shown this once.</strong> Another one can be made at
        any time.
      </p>
      <SecretBox label={`Set-up link for ${member.email}`} text={made.url} copyLabel="Copy link" />
      <DialogActions>
        <Button onClick={onDone}>Done</Button>
      </DialogActions>
    </div>
  );
}
