// The colour of a state: green is well, yellow waits or wants a look, red is over or went wrong.
import type { Color } from "./terminal.ts";

const colors: Readonly<Record<string, Color>> = {
  accepted: "green",
  active: "green",
  answering: "green",
  connected: "green",
  delivered: "green",
  enabled: "green",
  resolved: "green",
  running: "green",
  succeeded: "green",
  canceling: "yellow",
  deprecated: "yellow",
  disabled: "yellow",
  inactive: "yellow",
  in_progress: "yellow",
  paused: "yellow",
  pending: "yellow",
  queued: "yellow",
  rescheduling: "yellow",
  slow: "yellow",
  starting: "yellow",
  stopping: "yellow",
  waiting: "yellow",
  archived: "red",
  blocked: "red",
  errored: "red",
  expired: "red",
  failed: "red",
  failing: "red",
  firing: "red",
  retired: "red",
  revoked: "red",
  terminated: "red",
  unauthorized: "red",
};

/** None for words that say neither, such as idle, ended or stopped; what is in brackets behind one is not its word. */
export const colorOfState = (state: string): Color | undefined =>
  colors[state.replace(/ \(.*$/s, "")] ?? colorOfStatus(state);

/** Of an answer over HTTP. */
function colorOfStatus(state: string): Color | undefined {
  if (!/^[1-5]\d\d$/.test(state)) return undefined;
  return state >= "500" ? "red" : state >= "400" ? "yellow" : "green";
}
