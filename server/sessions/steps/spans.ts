// The spans of a thread's events: a call of a model has a beginning and an end, whatever becomes of it.
import type { Usage } from "../../models/module.ts";
import { newEventId, spanEnd, visible, type EventData } from "../events/drafts.ts";
import type { StepContext } from "./context.ts";
import type { Draft } from "./drafts.ts";

export const add = (
  draft: Draft,
  { ids, now }: StepContext,
  ...events: readonly EventData[]
): void => {
  for (const event of events) draft.add(visible(newEventId(ids), event, now));
};

export function addSpanEnd(draft: Draft, context: StepContext, usage: Usage | undefined): void {
  add(draft, context, spanEnd(draft.state.openSpan, usage));
}

/** Of a call of the model that gave nothing: it failed, or was ended from outside. */
export function closeSpan(draft: Draft, context: StepContext): void {
  if (draft.state.openSpan !== null) addSpanEnd(draft, context, undefined);
}
