// Single sign-on switched on, off, required, not required, removed: each says first what follows.
import { confirm } from "../kit/dialog/confirmation.tsx";
import { api, type Connection } from "../kit/server/api.ts";

export type Turn = "on" | "off" | "required" | "optional" | "gone";

interface Words {
  title: string;
  text: string;
  label: string;
  done: string;
  isBad?: boolean;
}

const wordsFor: Record<Turn, (provider: string) => Words> = {
  on: (provider) => ({
    title: `Switch ${provider} on?`,
    text: "Your people may sign in with it from now on. Passwords and passkeys go on to work.",
    label: "Switch on",
    done: `${provider} is on`,
  }),
  off: (provider) => ({
    title: `Switch ${provider} off?`,
    text: "Nobody signs in with it from now on; whoever has no password and no passkey cannot sign in. Who is signed in stays so.",
    label: "Switch off",
    done: `${provider} is off`,
    isBad: true,
  }),
  required: (provider) => ({
    title: `Require ${provider}?`,
    text: "Passwords and passkeys let in break-glass owners only. Everybody else who did not come through the provider is signed out at once. API keys go on working.",
    label: "Require it",
    done: `${provider} is required`,
    isBad: true,
  }),
  optional: (provider) => ({
    title: `Stop requiring ${provider}?`,
    text: "Passwords and passkeys let everybody in again who has them.",
    label: "Stop requiring it",
    done: `${provider} is not required any more`,
  }),
  gone: (provider) => ({
    title: `Remove ${provider}?`,
    text: "The settings and the client secret are deleted, and nobody joins or signs in by it. Who is linked to which account there is kept for the same issuer.",
    label: "Remove the connection",
    done: `${provider} is removed`,
    isBad: true,
  }),
};

export function turnSingleSignOn({ name, issuer }: Connection, turn: Turn): void {
  const { text, isBad, ...words } = wordsFor[turn](name);
  confirm<unknown>({
    ...words,
    look: isBad === true ? "danger" : "primary",
    run: () => {
      if (turn === "gone") return api.single_sign_on.delete();
      const isAbout = turn === "on" || turn === "off" ? "enabled" : "required";
      const body = { [isAbout]: turn === "on" || turn === "required" };
      return api.single_sign_on.switch({ body });
    },
    children: (
      <>
        <p className="text-soft">{text}</p>
        <p className="text-sm text-soft wrap-anywhere">{issuer}</p>
      </>
    ),
  });
}
