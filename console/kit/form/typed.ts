// A text that is shown as it is typed, while what follows from it comes a moment later.
import { useEffect, useRef, useState } from "react";

const typingMs = 250;

/** The address says a word only after a moment; more may have been typed until then. */
function useAhead(value: string) {
  const [typed, setTyped] = useState(value);
  /** What was passed on and has not come back as the value yet. */
  const ahead = useRef<string[]>([]);
  useEffect(() => {
    const at = ahead.current.indexOf(value);
    const isEven = at === -1 || value === typed;
    ahead.current.splice(0, isEven ? ahead.current.length : at + 1);
    // One's own words are no news when they come back.
    if (at === -1) setTyped(value);
  }, [value]);
  return { typed, setTyped, ahead };
}

/** Each letter is passed on at once. */
export function useTyping(value: string) {
  const { typed, setTyped, ahead } = useAhead(value);
  const type = (text: string) => {
    ahead.current.push(text);
    setTyped(text);
  };
  return [typed, type] as const;
}

/** What is typed is passed on once the typing has paused. */
export function useTyped(value: string, settle: (value: string) => void) {
  const { typed, setTyped, ahead } = useAhead(value);
  useEffect(() => {
    if (typed === (ahead.current.at(-1) ?? value)) return undefined;
    const timer = setTimeout(() => {
      ahead.current.push(typed);
      settle(typed);
    }, typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped] as const;
}
