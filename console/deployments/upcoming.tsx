// The next moments of a schedule, by the clock of its zone and by that of the person who looks.
import { Time } from "../kit/value/time.tsx";
import { ownZone, wallText } from "./deployments.ts";

export function Upcoming({ times, timeZone }: { times: readonly Date[]; timeZone: string }) {
  const own = ownZone();
  return (
    <ol
      aria-label="Next runs"
      className="grid grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] gap-2"
    >
      {times.map((at) => (
        <li
          key={at.toISOString()}
          className="rounded-md border border-line bg-surface px-2.5 py-1.5 text-sm"
        >
          <span className="block font-medium">{wallText(at, timeZone)}</span>
          {wallText(at, own) !== wallText(at, timeZone) && (
            <span className="block text-soft">{ownText(at, timeZone)} your time</span>
          )}
          <span className="block text-soft">
            <Time at={at.toISOString()} isShort />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** The clock alone where it is the same day there and here. */
function ownText(at: Date, timeZone: string): string {
  const here = wallText(at, ownZone());
  const dayOf = (text: string) => text.split(", ").slice(0, -1).join(", ");
  return dayOf(wallText(at, timeZone)) === dayOf(here) ? (here.split(", ").at(-1) ?? here) : here;
}
