// One slim bar while the server does not answer, or the sign-in has ended: the page stays, and goes on by itself.
import { useQuery } from "@tanstack/react-query";
import { CloudOff, LogIn, UserX, type LucideIcon } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { away } from "../kit/server/away.ts";
import { queries, queryClient } from "../kit/server/queries.ts";
import { signedInAgain, useSignedOut } from "../kit/server/signed-out.ts";
import { useShared } from "../kit/server/use-shared.ts";

const tryAgainMs = 1_000;

export function AwayNotice() {
  const isAway = useShared(away);
  const out = useSignedOut();
  const isSignedOut = out !== "signed_in";
  const isOut = isAway || isSignedOut;
  const wasOut = useRef(false);
  const { data: answers } = useQuery({
    ...queries.answers,
    enabled: isOut,
    refetchInterval: tryAgainMs,
  });
  useEffect(() => {
    if (isSignedOut && answers === true) signedInAgain();
  }, [isSignedOut, answers]);
  useEffect(() => {
    if (wasOut.current && !isOut) {
      // What it said now is no word about the next time.
      void queryClient.resetQueries({ queryKey: queries.answers.queryKey });
      void queryClient.invalidateQueries();
    }
    wasOut.current = isOut;
  }, [isOut]);
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 top-2 z-60 flex justify-center px-3 empty:hidden max-lg:top-14"
    >
      {isAway && (
        <Bar icon={CloudOff} title="The server does not answer.">
          Reconnecting; what you see may be old.
        </Bar>
      )}
      {out === "another_person" && !isAway && (
        <Bar icon={UserX} title="Another person has signed in here.">
          What you typed is not sent in their name.{" "}
          <button type="button" className="underline" onClick={() => window.location.reload()}>
            Reload
          </button>{" "}
          to go on as they.
        </Bar>
      )}
      {out === "signed_out" && !isAway && (
        <Bar icon={LogIn} title="You are signed out.">
          <a href="/sign-in" target="_blank" rel="noreferrer" className="underline">
            Sign in in another tab
          </a>
          ; what you typed stays here.
        </Bar>
      )}
    </div>
  );
}

function Bar({
  icon: Icon,
  title,
  children,
}: {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
}) {
  return (
    <p className="pointer-events-auto flex items-center gap-2.5 rounded-md bg-warn-soft px-3 py-1.5 text-sm text-warn shadow-lift">
      <Icon size={16} aria-hidden className="shrink-0" />
      <span>
        <span className="font-medium">{title}</span> {children}
      </span>
    </p>
  );
}
