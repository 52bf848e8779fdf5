// The rows of usage with their names, the largest first, and which of them are drawn apart.
import { useMemo } from "react";
import { useNames } from "../kit/value/names.ts";
import type { NamedLine } from "./usage-table.tsx";
import { valueOf, type Grouping, type Measure, type UsageLine } from "./usage.ts";

const drawnMax = 7;

/** The largest by what is measured come first, and those are drawn apart. */
export function useNamedLines(
  data: readonly UsageLine[] | undefined,
  by: Grouping,
  measure: Measure,
): NamedLine[] {
  const nameOf = useNames();
  const titles = (data ?? []).map(({ id, name }) =>
    id === "" ? nobody[by] : (name ?? nameOf(id, by === "model" ? "model" : undefined) ?? id),
  );
  return useMemo((): NamedLine[] => {
    let drawn = 0;
    return (data ?? [])
      .map((line, at) => ({ ...line, title: titles[at] ?? line.id }))
      .toSorted((a, b) => valueOf(b, measure) - valueOf(a, measure))
      .map((line) => ({
        ...line,
        place: line.id !== "" && drawn < drawnMax ? drawn++ : undefined,
      }));
  }, [data, measure, titles.join("\n")]);
}

const nobody: Record<Grouping, string> = {
  model: "No model",
  workspace_id: "No workspace",
  api_key_id: "Without a key, such as the console",
  member: "Nobody in particular",
  product: "No product",
  origin: "No origin",
  agent_id: "No agent",
  deployment_id: "No deployment",
  environment_id: "No environment",
  session_id: "No session",
};
