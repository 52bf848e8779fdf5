// The way back for a member who lost their password and their passkeys: a link, shown once.
import { useState } from "react";
import { api, type Member } from "../lib/api.ts";
import { useProvenAct } from "../lib/proven.tsx";
import { exactTime } from "../lib/time.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { DialogActions } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";

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
      <div className="flex flex-wrap items-center gap-2 rounded-md border border-line bg-sunken p-2">
        <output
          aria-label={`Set-up link for ${member.email}`}
          className="min-w-0 flex-1 basis-56 px-1 font-mono text-sm break-all select-all"
        >
          {made.url}
        </output>
        <CopyButton text={made.url} look="primary" label="Copy link" autoFocus />
      </div>
      <DialogActions>
        <Button onClick={onDone}>Done</Button>
      </DialogActions>
    </div>
  );
}
