// What was run in the playground: the last of it, in this browser, for the person who ran it.
import { useCallback, useState } from "react";
import { readKept, writeKept, type Keeper } from "../../kit/server/kept.ts";
import { now } from "../../kit/value/time.ts";
import { keptAttached } from "../request/attached.ts";
import type { Draft } from "../playground.ts";
import type { Run } from "./run.ts";

export interface PastRun {
  id: number;
  at: string;
  model: string;
  state: Exclude<Run["state"], "running">;
  stopReason: string | null;
  asked: string;
  said: string;
  input: number;
  output: number;
  ms: number;
  /** Nano-dollars; undefined where the prices are not this person's to see. */
  nano?: number;
  /** All that was filled in, but for what was attached. */
  draft: Draft;
}

const runsMax = 50;
const shownCharacters = 200;
const of = "playground history";

const line = (text: string): string =>
  text.replaceAll(/\s+/g, " ").trim().slice(0, shownCharacters);

export function pastRun(draft: Draft, run: Run, nano: number | undefined): PastRun {
  const { message, request, state, totalMs } = run;
  const asked = draft.turns.findLast(({ role, text }) => role === "user" && text.trim() !== "");
  const text = message?.content.find(({ type }) => type === "text")?.["text"];
  const at = now();
  return {
    id: at.getTime(),
    at: at.toISOString(),
    model: request.model,
    state: state === "running" ? "stopped" : state,
    stopReason: message?.stop_reason ?? null,
    asked: line(asked?.text ?? ""),
    said: line(typeof text === "string" ? text : ""),
    input: message?.usage.input_tokens ?? 0,
    output: message?.usage.output_tokens ?? 0,
    ms: totalMs ?? 0,
    ...(nano !== undefined && { nano }),
    draft: withoutAttached(draft),
  };
}

const withoutAttached = (draft: Draft): Draft => ({
  ...draft,
  turns: draft.turns.map((turn) =>
    turn.attached === undefined ? turn : { ...turn, attached: keptAttached(turn.attached, 0) },
  ),
});

const readRuns = (keeper: Keeper) => (readKept(keeper, of) ?? []) as readonly PastRun[];

export function useHistory(keeper: Keeper) {
  const [runs, setRuns] = useState(() => readRuns(keeper));
  const { user, organization } = keeper;
  const add = useCallback(
    (run: PastRun) => {
      const me = { user: { id: user.id }, organization: { id: organization.id } };
      // Another tab may have run something meanwhile.
      const before = readRuns(me);
      const id = Math.max(run.id, ...before.map((each) => each.id + 1));
      let next = [{ ...run, id }, ...before].slice(0, runsMax);
      // Where there is no room, the oldest go.
      while (!writeKept(me, of, next) && next.length > 1)
        next = next.slice(0, Math.floor(next.length / 2));
      setRuns(next);
    },
    [user.id, organization.id],
  );
  const clear = (): void => {
    writeKept(keeper, of, []);
    setRuns([]);
  };
  return { runs, add, clear };
}
