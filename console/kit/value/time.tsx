// A moment: how long ago to read, exact in the title.
import { exactTime, relativeTime } from "./time.ts";

export function Time({ at, never = "Never" }: { at: string | null; never?: string }) {
  if (at === null) return <span className="text-soft">{never}</span>;
  return (
    <time
      dateTime={at}
      title={exactTime(at)}
      className="whitespace-nowrap md:max-xl:whitespace-normal"
    >
      {relativeTime(at)}
    </time>
  );
}
