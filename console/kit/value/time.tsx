// A moment: how long ago to read, exact in the title.
import { exactTime, relativeTime } from "./time.ts";

export function Time({
  at,
  never = "Never",
  isShort = false,
}: {
  at: string | null;
  never?: string;
  /** In a column: `50 min ago`. */
  isShort?: boolean;
}) {
  if (at === null) return <span className="text-soft">{never}</span>;
  const text = relativeTime(at, { isShort });
  // A date goes on in a second line on a tablet; how long ago something was has room in one.
  const mayWrap = !isShort || /\d{4}$/.test(text);
  return (
    <time
      dateTime={at}
      title={exactTime(at)}
      className={`whitespace-nowrap ${mayWrap ? "md:max-xl:whitespace-normal" : ""}`}
    >
      {text}
    </time>
  );
}
