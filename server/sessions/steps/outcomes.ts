// How outcomes stand: as events, and as the session shows them.
import type { Input, OutcomeState } from "../conversation/state.ts";
import { internal, spanUsage } from "../events/drafts.ts";
import type { Grade } from "../model/judges/grading.ts";
import type { Draft } from "./drafts.ts";
import type { StepContext } from "./context.ts";
import { add } from "./spans.ts";

/** A turn has taken it. */
export function addOutcomeBegun(draft: Draft): void {
  const { outcome } = draft.state;
  if (outcome !== null) show(draft, outcome, { result: "running" });
}

/** What takes up a grading that was begun says that it goes on. */
export function addGradingStart(draft: Draft, context: StepContext): void {
  const { outcome } = draft.state;
  if (outcome === null) return;
  const { outcome_id, iteration, openSpan } = outcome;
  const verb = openSpan === null ? "start" : "ongoing";
  show(draft, outcome, { result: "evaluating" });
  add(draft, context, { type: `span.outcome_evaluation_${verb}`, outcome_id, iteration });
}

export function addGraded(
  draft: Draft,
  context: StepContext,
  outcome: OutcomeState,
  { result, explanation, usage }: Grade,
): void {
  const { outcome_id, iteration, openSpan } = outcome;
  if (openSpan !== null)
    add(draft, context, {
      type: "span.outcome_evaluation_end",
      outcome_evaluation_start_id: openSpan,
      outcome_id,
      iteration,
      result,
      explanation,
      usage: spanUsage(usage),
    });
  if (result === "needs_revision")
    show(draft, { ...outcome, iteration: iteration + 1 }, { result: "running", explanation });
  else show(draft, outcome, { result, explanation, completedAt: context.now.toISOString() });
  draft.add(
    internal({ type: "internal.outcome_graded", outcome_id, iteration, result, explanation }),
  );
}

/** Outcomes that never had their turn. */
export function dropOutcomes(draft: Draft, { now }: StepContext, flushed: readonly Input[]): void {
  for (const input of flushed)
    if (input.kind === "outcome")
      show(
        draft,
        { ...input.outcome, iteration: 0 },
        { result: "interrupted", completedAt: now.toISOString() },
      );
}

function show(
  draft: Draft,
  {
    outcome_id: id,
    description,
    iteration,
  }: Pick<OutcomeState, "outcome_id" | "description" | "iteration">,
  {
    result,
    explanation = null,
    completedAt = null,
  }: { result: string; explanation?: string | null; completedAt?: string | null },
): void {
  draft.outcomes.set(id, { id, description, iteration, result, explanation, completedAt });
}
