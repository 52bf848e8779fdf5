// The events of a thread for a page: at most one picture a frame, and what else is known of the session kept fresh.
import { useEffect, useState } from "react";
import { renewSession, type Workspace } from "../session-queries.ts";
import { follow, type Followed } from "./follow.ts";

const nothingYet: Followed = { state: "reading", events: [], previews: [], error: undefined };

export function useEvents(
  workspace: Workspace,
  session: string,
  thread: string | undefined,
): Followed {
  const [followed, setFollowed] = useState(nothingYet);
  useEffect(() => {
    const closing = new AbortController();
    let latest = nothingYet;
    let frame: number | undefined;
    let isStale = false;
    setFollowed(nothingYet);
    const draw = () => {
      frame = undefined;
      setFollowed(latest);
      if (isStale) void renewSession(workspace, session);
      isStale = false;
    };
    const show = (next: Followed) => {
      latest = next;
      frame ??= requestAnimationFrame(draw);
    };
    const renew = () => {
      isStale = true;
    };
    void follow({ workspace, session, thread }, closing.signal, show, renew);
    return () => {
      closing.abort();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [workspace, session, thread]);
  return followed;
}
