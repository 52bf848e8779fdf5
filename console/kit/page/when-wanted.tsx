// What is not there at first: its code comes when it is wanted for the first time, and it stays.
import { Suspense, useRef, type ReactNode } from "react";

export function WhenWanted({ isWanted, children }: { isWanted: boolean; children: ReactNode }) {
  const was = useRef(false);
  if (isWanted) was.current = true;
  return was.current && <Suspense>{children}</Suspense>;
}
