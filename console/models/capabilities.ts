// What a model takes beside text, as names to choose from.
import type { ModelInfo } from "../kit/server/api.ts";

const effortLevels = ["low", "medium", "high", "xhigh", "max"] as const;
const thinkingTypes = ["adaptive", "enabled", "between_tools", "disabled"] as const;

export const effortsOf = ({ capabilities: { effort } }: ModelInfo): string[] =>
  effortLevels.filter((level) => effort[level]?.supported === true);

export const thinkingOf = ({ capabilities: { thinking } }: ModelInfo): string[] =>
  thinkingTypes.filter((type) => thinking.types[type].supported);
