// The filters of the request log. Their names in the address are those of the route, and what an address asks for is
// offered, too.
import { useQuery } from "@tanstack/react-query";
import type { Filter } from "../../kit/list/filters.tsx";
import type { Search } from "../../kit/page/search.ts";
import { useMe } from "../../kit/server/queries.ts";
import { dollarsText } from "../../kit/value/money.ts";
import { useNames } from "../../kit/value/names.ts";
import { spaced } from "../../kit/value/words.ts";
import { expensiveCents, filterOf, msText, slowMs } from "../requests.ts";
import { choiceQueries } from "../queries.ts";

interface Choice {
  value: string;
  label: string;
}

const statuses: readonly Choice[] = [
  { value: "ok", label: "OK" },
  { value: "error", label: "All errors" },
  { value: "4xx", label: "4xx, at fault: the client" },
  { value: "5xx", label: "5xx, at fault: server or model" },
];

const origins: readonly Choice[] = [
  { value: "api", label: "Through the API" },
  { value: "batch", label: "Items of batches" },
  { value: "session", label: "Turns of agents" },
  { value: "console", label: "By people in the console" },
];

const stopReasons: readonly Choice[] = [
  "refusal",
  "end_turn",
  "max_tokens",
  "tool_use",
  "stop_sequence",
  "pause_turn",
].map((value) => ({ value, label: value === "refusal" ? "Refused" : spaced(value) }));

const fallbacks: readonly Choice[] = [
  { value: "true", label: "Fell back" },
  { value: "false", label: "First model answered" },
];

const durations: readonly Choice[] = [slowMs, "30000", "60000"].map(durationOf);

function durationOf(value: string): Choice {
  const label = value === slowMs ? "Slow: 10 s or more" : `${msText(Number(value))} or more`;
  return { value, label: label.replace(/\.0+ s/, " s") };
}

const costs: readonly Choice[] = [expensiveCents, "100", "1000"].map(costOf);

function costOf(value: string): Choice {
  const dollars = `${dollarsText(value)} or more`;
  return { value, label: value === expensiveCents ? `Expensive: ${dollars}` : dollars };
}

/** What the address asks for is one of them. */
const withAsked = (
  choices: readonly Choice[],
  value: string | undefined,
  choiceOf: (value: string) => Choice,
): readonly Choice[] =>
  value === undefined || choices.some((choice) => choice.value === value)
    ? choices
    : [...choices, choiceOf(value)];

const asItIs = (value: string): Choice => ({ value, label: value });

export function useRequestFilters(search: Search): readonly Filter[] {
  const { status, min_duration_ms: ms, min_cost: cents } = filterOf(search);
  const day = (name: "from" | "to") =>
    /^\d{4}-\d\d-\d\d$/.test(search[name] ?? "") ? search[name] : undefined;
  return [
    { kind: "search", name: "error", label: "Text in the error", maxLength: 200, isAsked: true },
    {
      kind: "choice",
      name: "status",
      label: "Status",
      any: "Any status",
      choices: withAsked(statuses, status, asItIs),
    },
    useModelFilter(search["model"]),
    { kind: "day", name: "from", label: "From", max: day("to") },
    { kind: "day", name: "to", label: "To", min: day("from") },
    rareChoice("origin", "Kind", "Any kind", origins),
    ...usePartyFilters(search),
    rareChoice(
      "min_duration_ms",
      "Duration",
      "Any duration",
      withAsked(durations, ms === undefined ? undefined : search["min_duration_ms"], durationOf),
    ),
    rareChoice("min_cost", "Cost", "Any cost", withAsked(costs, cents, costOf)),
    rareChoice(
      "stop_reason",
      "Stop reason",
      "Any stop reason",
      withAsked(stopReasons, search["stop_reason"], asItIs),
    ),
    rareChoice("fell_back", "Fallback", "Any model answered", fallbacks),
    { kind: "fact", name: "upstream", label: "Upstream" },
    { kind: "fact", name: "operation", label: "Operation" },
    { kind: "fact", name: "session_id", label: "Session" },
    { kind: "fact", name: "batch_id", label: "Batch" },
  ];
}

function rareChoice(name: string, label: string, any: string, choices: readonly Choice[]): Filter {
  return { kind: "choice", name, label, any, choices, isRare: true };
}

function useModelFilter(asked: string | undefined): Filter {
  const enabled = useMe().permissions.includes("models:read");
  const { data } = useQuery({ ...choiceQueries.models, enabled });
  const models = (data?.data ?? []).map(({ id }) => asItIs(id));
  return {
    kind: "choice",
    name: "model",
    label: "Model",
    any: "Any model",
    choices: withAsked(models, asked, asItIs),
  };
}

/** Who asked, and where: the newest hundred of each; a link may name any other. */
function usePartyFilters(search: Search): Filter[] {
  const { permissions, workspaces } = useMe();
  const nameOf = useNames();
  const keys = useQuery({
    ...choiceQueries.keys,
    enabled: permissions.includes("api_keys:read"),
  });
  const people = useQuery({
    ...choiceQueries.people,
    enabled: permissions.includes("members:read"),
  });
  const called = (value: string): Choice => ({ value, label: nameOf(value) ?? value });
  const choice = (name: string, label: string, any: string, all: readonly Choice[]) =>
    rareChoice(name, label, any, withAsked(all, search[name], called));
  const named = (all: readonly { id: string; name: string }[]) =>
    all.map(({ id, name }) => ({ value: id, label: name }));
  return [
    choice("workspace_id", "Workspace", "Any workspace", named(workspaces)),
    choice("credential_id", "Key", "Any key", named(keys.data?.data ?? [])),
    choice("user_id", "Person", "Any person", named(people.data?.data ?? [])),
  ];
}
