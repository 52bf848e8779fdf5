// The face of what is counted by the minute.
export { kinds, schedules } from "./jobs.ts";
export { lastHour, trafficPart, type Traffic } from "./requests.ts";
export {
  upstreamHealth,
  upstreamTrafficPart,
  type CountedAttempt,
  type UpstreamHealth,
} from "./upstreams.ts";
