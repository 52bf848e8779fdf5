// The events of a thread for a page: at most one picture a frame, and what else is known of the session kept fresh.
import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { forgetWaiting, renewSession, type Workspace } from "../session-queries.ts";
import { follow, noOlder, type Followed, type Past } from "./follow.ts";

const nothingYet: Followed = {
  state: "reading",
  events: [],
  previews: [],
  progress: new Map(),
  start: undefined,
  error: undefined,
  older: noOlder,
};

export function useEvents(workspace: Workspace, session: string, thread: string | undefined) {
  const [followed, setFollowed] = useState(nothingYet);
  const reader = useRef<() => Promise<void>>(undefined);
  useEffect(() => {
    const closing = new AbortController();
    let [drawn, latest] = [nothingYet, nothingYet];
    let frame: number | undefined;
    let [isStale, hasTurned] = [false, false];
    setFollowed(nothingYet);
    const draw = () => {
      frame = undefined;
      const hasOlder = drawn.events.length > 0 && drawn.events[0] !== latest.events[0];
      drawn = latest;
      if (hasOlder) inPlace(() => setFollowed(latest));
      else setFollowed(latest);
      if (isStale) void renewSession(workspace, session);
      if (hasTurned) void forgetWaiting(workspace);
      [isStale, hasTurned] = [false, false];
    };
    const show = (next: Followed) => {
      latest = next;
      frame ??= requestAnimationFrame(draw);
    };
    const renew = (isTurn: boolean) => {
      isStale = true;
      hasTurned ||= isTurn;
    };
    const source = { workspace, session, thread };
    reader.current = follow(source, closing.signal, { show, renew }).readOlder;
    return () => {
      closing.abort();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [workspace, session, thread]);
  const past: Past = { ...followed.older, read: () => void reader.current?.() };
  return { followed, past };
}

/** What comes to stand above what is read moves nothing of it. Browsers see to that themselves, but not at the top. */
function inPlace(change: () => void): void {
  const topOf = (item: Element) => item.getBoundingClientRect().top;
  const seen = [...document.querySelectorAll("[data-item]")]
    .map((item) => ({ item, top: topOf(item) }))
    .filter(({ top }) => top > 0 && top < window.innerHeight);
  flushSync(change);
  const still = seen.find(({ item }) => item.isConnected);
  if (still !== undefined) window.scrollBy(0, topOf(still.item) - still.top);
}
