// How a session stands, as a dot with a word.
import { statuses, type Status, type Tone } from "./sessions.ts";

const dots: Record<Tone, string> = {
  neutral: "bg-line-strong",
  good: "bg-good",
  warn: "bg-warn",
  bad: "bg-bad-fill",
  accent: "bg-accent",
};

export function SessionStatus({ status }: { status: Status }) {
  const { word, tone } = statuses[status];
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span aria-hidden className={`size-2 shrink-0 rounded-full ${dots[tone]}`} />
      {word}
    </span>
  );
}
