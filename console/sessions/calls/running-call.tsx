// A call that is under way in the session's sandbox: for how long, and the way to stop it.
import { useMutation } from "@tanstack/react-query";
import { CircleStop } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../kit/page/button.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { exactTime, now } from "../../kit/value/time.ts";
import { sendEvents } from "../send-events.ts";
import { AwaitedPackages } from "./awaited-packages.tsx";
import { durationText } from "../sessions.ts";

export function RunningCall({
  session,
  thread,
  name,
  since,
  environment,
}: {
  session: string;
  /** Another thread than the session's own. */
  thread: string | undefined;
  name: string;
  since: string;
  environment: string;
}) {
  const { id: workspace } = useWorkspace();
  const interrupt = useMutation({
    mutationFn: () =>
      sendEvents(workspace, session, [
        {
          type: "user.interrupt",
          ...(thread !== undefined && { session_thread_id: thread }),
        },
      ]),
  });
  return (
    <div className="grid gap-2 border-t border-line px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="min-w-0 flex-1 text-sm text-soft">
          Under way in the sandbox for <Elapsed since={since} />
        </span>
        <Button
          aria-label={`Interrupt ${name}`}
          title="Ends the call and the turn"
          busy={interrupt.isPending || interrupt.isSuccess}
          onClick={() => interrupt.mutate()}
        >
          <CircleStop size={16} aria-hidden />
          Interrupt
        </Button>
      </div>
      <AwaitedPackages environment={environment} />
      {interrupt.error !== null && <TroubleBox error={interrupt.error} />}
    </div>
  );
}

function Elapsed({ since }: { since: string }) {
  const [at, setAt] = useState(now);
  useEffect(() => {
    const ticking = setInterval(() => setAt(now()), 1_000);
    return () => clearInterval(ticking);
  }, []);
  const seconds = Math.max(0, Math.round((at.getTime() - new Date(since).getTime()) / 1_000));
  return (
    <time dateTime={since} title={`Since ${exactTime(since)}`} className="tabular-nums">
      {seconds < 10 ? `${seconds} s` : durationText(seconds)}
    </time>
  );
}
