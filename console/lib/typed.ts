// What is typed is asked for once the typing has paused.
import { useEffect, useState } from "react";

const typingMs = 250;

export function useTyped(value: string, settle: (value: string) => void) {
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => settle(typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => setTyped(value), [value]);
  return [typed, setTyped] as const;
}
