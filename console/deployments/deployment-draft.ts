// A deployment as it stands in the form, and what is sent of it.
import type { DeploymentsCreateBody, DeploymentsUpdateBody } from "../../contract/types.ts";
import type { Deployment } from "../kit/server/api.ts";
import { hundredthsOf, notAnAmount } from "../kit/value/money.ts";
import { ownZone, readSchedule } from "./deployments.ts";

export interface Draft {
  name: string;
  description: string;
  agent: string;
  environment: string;
  message: string;
  /** Without one it is run by hand alone. */
  hasSchedule: boolean;
  expression: string;
  timezone: string;
  /** In dollars, as it was typed; nothing where there is none. */
  budget: string;
}

interface Said {
  type: string;
  content?: readonly { type: string; text?: string }[];
  description?: string;
}

/** What a session is told first, where that is text. */
export function firstWordsOf({ initial_events: events }: Deployment): string {
  const [first] = events as readonly Said[];
  const texts = (first?.content ?? []).map((block) => block.text ?? `(${block.type})`);
  return first?.description ?? texts.join("\n");
}

/** One message of one text: what the form can show whole. */
export function isPlain({ initial_events: events }: Deployment): boolean {
  const [first] = events as readonly Said[];
  return (
    events.length === 1 &&
    first?.type === "user.message" &&
    first.content?.length === 1 &&
    first.content[0]?.type === "text"
  );
}

export const draftOf = (deployment?: Deployment): Draft => ({
  name: deployment?.name ?? "",
  description: deployment?.description ?? "",
  agent: deployment?.agent.id ?? "",
  environment: deployment?.environment_id ?? "",
  message: deployment === undefined ? "" : firstWordsOf(deployment),
  hasSchedule: deployment === undefined || deployment.schedule !== null,
  expression: deployment?.schedule?.expression ?? "0 9 * * 1-5",
  timezone: deployment?.schedule?.timezone ?? ownZone(),
  budget: dollarsOf(deployment?.budget?.max_list_cost.amount),
});

const dollarsOf = (cents: string | undefined): string =>
  cents === undefined ? "" : (Number(cents) / 100).toFixed(2);

export function faultsOf(draft: Draft): { [Name in keyof Draft]?: string | undefined } {
  const { name, agent, environment, message, hasSchedule, expression, timezone, budget } = draft;
  const cents = hundredthsOf(budget);
  const fault = hasSchedule ? readSchedule(expression, timezone).fault : undefined;
  return {
    name: name.trim() === "" ? "Give it a name." : undefined,
    agent: agent === "" ? "Choose an agent." : undefined,
    environment: environment === "" ? "Choose an environment." : undefined,
    message: message.trim() === "" ? "Say what each session is to do." : undefined,
    expression: fault?.expression,
    timezone: fault?.timezone,
    budget:
      budget.trim() === "" || (cents !== undefined && cents !== "0") ? undefined : notAnAmount,
  };
}

const eventsOf = (message: string) => [
  { type: "user.message" as const, content: [{ type: "text" as const, text: message }] },
];
const scheduleOf = ({ hasSchedule, expression, timezone }: Draft) =>
  hasSchedule
    ? { type: "cron" as const, expression: expression.trim(), timezone: timezone.trim() }
    : null;

function budgetOf({ budget }: Draft) {
  const amount = hundredthsOf(budget);
  return amount === undefined
    ? null
    : { type: "limit" as const, max_list_cost: { amount, currency: "USD" as const } };
}

export const bodyOf = (draft: Draft): DeploymentsCreateBody => ({
  name: draft.name.trim(),
  description: draft.description === "" ? null : draft.description,
  agent: draft.agent,
  environment_id: draft.environment,
  initial_events: eventsOf(draft.message),
  schedule: scheduleOf(draft),
  budget: budgetOf(draft),
});

/** What differs, and nothing else: of what another person changed meanwhile, the rest stays theirs. */
export function changesOf(draft: Draft, changed: Partial<Draft>): DeploymentsUpdateBody {
  const has = (...names: (keyof Draft)[]) => names.some((name) => changed[name] !== undefined);
  return {
    ...(has("name") && { name: draft.name.trim() }),
    ...(has("description") && { description: draft.description }),
    ...(has("agent") && { agent: draft.agent }),
    ...(has("environment") && { environment_id: draft.environment }),
    ...(has("message") && { initial_events: eventsOf(draft.message) }),
    ...(has("hasSchedule", "expression", "timezone") && { schedule: scheduleOf(draft) }),
    ...(has("budget") && { budget: budgetOf(draft) }),
  };
}
