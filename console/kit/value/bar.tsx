// How much of something is gone, as a bar. It only decorates the words beside it.
import type { LimitTone } from "./money.ts";

const fills: Record<LimitTone, string> = {
  accent: "fill-accent",
  warn: "fill-warn",
  bad: "fill-bad-fill",
};

export function Bar({
  share,
  more = 0,
  tone = "accent",
}: {
  share: number;
  /** Spoken for, and not gone yet. */
  more?: number;
  tone?: LimitTone;
}) {
  const width = 100;
  // What there is at all is seen.
  const seen = (part: number) => (part > 0 ? Math.max(part * width, 1) : 0);
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} 6`}
      preserveAspectRatio="none"
      className="block h-1.5 w-full rounded-full bg-line"
    >
      <rect x={seen(share)} width={seen(more)} height={6} className="fill-line-strong" />
      <rect width={seen(share)} height={6} className={fills[tone]} />
    </svg>
  );
}
