// Rows come on top of a list, and what the reader looks at stays where it is.

/** A bar on top of a phone covers so much. */
const coveredPx = 56;

const topOf = (box: HTMLElement): number =>
  box.querySelector("[role=table]")?.getBoundingClientRect().top ?? 0;

/** The first row, with the head of its table above it. */
export const showTop = (box: HTMLElement): void =>
  window.scrollBy({ top: topOf(box) - 2 * coveredPx, behavior: "instant" });

export const isTopSeen = (box: HTMLElement): boolean => topOf(box) >= 0;

/** The reader sees the top of the list and points at nothing in it: what is new may push the rest down. */
function mayMove(box: HTMLElement): boolean {
  const hasPointer = window.matchMedia("(hover: hover)").matches;
  const isPointed = hasPointer && box.querySelector("[data-row]:hover") !== null;
  return isTopSeen(box) && !isPointed && box.querySelector("[data-row] :focus") === null;
}

const firstSeen = (box: HTMLElement): Element | undefined =>
  [...box.querySelectorAll("[data-row]")].find(
    (row) => row.getBoundingClientRect().bottom > coveredPx,
  );

/** Does what changes the list, at once. True where the page was moved along with it. */
export function keepPlace(box: HTMLElement | null, change: () => void): boolean {
  const row = box === null || mayMove(box) ? undefined : firstSeen(box);
  const key = row?.getAttribute("data-row");
  if (box === null || row === undefined || key == null) {
    change();
    return false;
  }
  const { top } = row.getBoundingClientRect();
  change();
  const now = box.querySelector(`[data-row="${CSS.escape(key)}"]`)?.getBoundingClientRect().top;
  if (now === undefined || now === top) return false;
  window.scrollBy({ top: now - top, behavior: "instant" });
  return true;
}
