// Where the overview leads to: the list behind each figure. Changed here, a target changes everywhere.
import type { Overview } from "./queries.ts";

export type Party = "models" | "keys" | "people";

type Search = Record<string, string | undefined>;

/** The requests of whom spends most, within the time that is told. */
export const searchOfParty = (
  party: Party,
  id: string,
  { from, to }: { from: string; to: string },
): Search => ({
  [{ models: "model", keys: "credential_id", people: "user_id" }[party]]: id,
  from: from.slice(0, 10),
  to: new Date(Date.parse(to) - 1).toISOString().slice(0, 10),
});

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** The hour that the numbers are of. */
export const lastHour = ({ at }: Pick<Overview, "at">): Search => ({
  from: new Date(
    Math.floor(Date.parse(at) / minuteMs) * minuteMs - hourMs + minuteMs,
  ).toISOString(),
});
