// Of many rows of one height only those that are seen are drawn.
import { useLayoutEffect, useState, type RefObject } from "react";

/** Above and below, so that nothing is missing while it scrolls. */
const spareRows = 12;

export function useVisibleRows(box: RefObject<HTMLElement | null>, count: number, rowPx: number) {
  const [view, setView] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = () => {
      const { scrollTop: top, clientHeight: height } = element;
      setView((before) =>
        before.top === top && before.height === height ? before : { top, height },
      );
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box]);
  const from = Math.max(0, Math.floor(view.top / rowPx) - spareRows);
  const to = Math.min(count, Math.ceil((view.top + view.height) / rowPx) + spareRows);
  const reveal = (row: number) => {
    const element = box.current;
    if (element === null || row < 0) return;
    const top = row * rowPx;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowPx > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowPx - element.clientHeight;
  };
  return { from: Math.min(from, to), to, reveal };
}
