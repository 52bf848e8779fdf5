// A stretch of a long list that is drawn only near the window; elsewhere its room is kept.
import { useEffect, useRef, useState, type ReactNode, type RefObject } from "react";

/** Whether a stretch is near the window, and how high it was when it last was; an estimate before. */
export function useNearness(
  box: RefObject<HTMLElement | null>,
  estimatePx: number,
  startsNear = true,
): { isNear: boolean; heightPx: number } {
  const [isNear, setNear] = useState(startsNear);
  /** Of the estimate, which grows with what comes to it while it is far. */
  const share = useRef(1);
  const estimate = useRef(estimatePx);
  estimate.current = estimatePx;
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        // Of a busy page several come at once: the last says how it is.
        const entry = entries.at(-1);
        if (entry === undefined) return;
        // Where the keyboard is, nothing goes.
        const isKept = entry.isIntersecting || element.contains(document.activeElement);
        if (!isKept) share.current = entry.boundingClientRect.height / estimate.current;
        setNear(isKept);
      },
      { rootMargin: "1500px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return { isNear, heightPx: share.current * estimatePx };
}

export function Chunk({
  children,
  estimatePx,
}: {
  children: ReactNode;
  /** How high it is before it was ever drawn. */
  estimatePx: number;
}) {
  const box = useRef<HTMLDivElement>(null);
  const { isNear, heightPx } = useNearness(box, estimatePx);
  return (
    <div ref={box} style={isNear ? undefined : { height: heightPx }}>
      {isNear && children}
    </div>
  );
}

/** As soon as it comes near the window, what follows is asked for; a button for those who do not scroll. */
export function Onward({
  label,
  isBusy,
  onSeen,
}: {
  label: string;
  isBusy: boolean;
  onSeen: () => void;
}) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const element = button.current;
    if (element === null || isBusy) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.at(-1)?.isIntersecting === true) onSeen();
      },
      { rootMargin: "600px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isBusy]);
  return (
    <button
      ref={button}
      type="button"
      onClick={onSeen}
      className="mt-2 w-full rounded-md px-3 py-2 text-sm text-soft hover:bg-hover"
    >
      {isBusy ? "Loading…" : label}
    </button>
  );
}
