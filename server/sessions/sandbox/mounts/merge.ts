// Which side of a file has changed since both had the same: the agent's, the store's, or both.

/** Hashes of texts; undefined where there is none. */
export interface Sides {
  /** What both had when they were last brought together. */
  base: string | undefined;
  local: string | undefined;
  remote: string | undefined;
}

export type Decision = "same" | "take" | "give" | "conflict";

/** `take` is from the store, `give` is to it. Nothing that was written is overwritten by someone who has not seen it. */
export function decide({ base, local, remote }: Sides): Decision {
  if (local === remote) return "same";
  if (local === base) return "take";
  if (remote === base) return "give";
  // It was deleted here and changed there: the text that is left is taken, and nothing is lost.
  if (local === undefined) return "take";
  return "conflict";
}
