// Single sign-on switched on, off, required, not required, removed: each says first what follows.
import { api } from "../kit/server/api.ts";
import { useProvenAct } from "../kit/identity/proven.tsx";
import { queryClient } from "../kit/server/queries.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export type Turn = "on" | "off" | "required" | "optional" | "gone";

interface Words {
  title: string;
  text: string;
  act: string;
  done: string;
  isBad?: boolean;
}

const wordsFor: Record<Turn, (provider: string) => Words> = {
  on: (provider) => ({
    title: `Switch ${provider} on?`,
    text: "Your people may sign in with it from now on. Passwords and passkeys go on to work.",
    act: "Switch on",
    done: `${provider} is on`,
  }),
  off: (provider) => ({
    title: `Switch ${provider} off?`,
    text: "Nobody signs in with it from now on; whoever has no password and no passkey cannot sign in. Who is signed in stays so.",
    act: "Switch off",
    done: `${provider} is off`,
    isBad: true,
  }),
  required: (provider) => ({
    title: `Require ${provider}?`,
    text: "Passwords and passkeys let in break-glass owners only. Everybody else who did not come through the provider is signed out at once. API keys go on working.",
    act: "Require it",
    done: `${provider} is required`,
    isBad: true,
  }),
  optional: (provider) => ({
    title: `Stop requiring ${provider}?`,
    text: "Passwords and passkeys let everybody in again who has them.",
    act: "Stop requiring it",
    done: `${provider} is not required any more`,
  }),
  gone: (provider) => ({
    title: `Remove ${provider}?`,
    text: "The settings and the client secret are deleted, and nobody joins or signs in by it. Who is linked to which account there is kept for the same issuer.",
    act: "Remove the connection",
    done: `${provider} is removed`,
    isBad: true,
  }),
};

export function TurnDialog({
  turn,
  provider,
  issuer,
  onClose,
}: {
  turn: Turn;
  provider: string;
  issuer: string;
  onClose: () => void;
}) {
  const { title, text, act, done, isBad } = wordsFor[turn](provider);
  const change = useProvenAct({
    mutationFn: async () => {
      if (turn === "gone") return api.single_sign_on.delete();
      const isAbout = turn === "on" || turn === "off" ? "enabled" : "required";
      const body = { [isAbout]: turn === "on" || turn === "required" };
      await api.single_sign_on.switch({ body });
    },
    onSuccess: () => {
      void queryClient.invalidateQueries();
      say.good(done);
      onClose();
    },
  });
  return (
    <>
      <Dialog open onClose={onClose} title={title} description={text}>
        <p className="text-sm text-soft wrap-anywhere">{issuer}</p>
        {change.error !== null && (
          <div className="mt-3">
            <TroubleBox error={change.error} />
          </div>
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look={isBad === true ? "danger" : "primary"}
            busy={change.isPending}
            onClick={() => change.mutate()}
          >
            {act}
          </Button>
        </DialogActions>
      </Dialog>
      {change.proof}
    </>
  );
}
