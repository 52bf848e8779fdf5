// The spans of a thread's events: a call of a model has a beginning and an end, whatever becomes of it.
import type { Usage } from "../../models/module.ts";
import { newEventId, visible, type EventData } from "../events/drafts.ts";
import type { StepContext } from "./context.ts";
import type { Draft } from "./drafts.ts";

export const add = (
  draft: Draft,
  { ids, now }: StepContext,
  ...events: readonly EventData[]
): void => {
  for (const event of events) draft.add(visible(newEventId(ids), event, now));
};

const noUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

export const spanUsage = (usage: Usage | undefined) =>
  usage === undefined
    ? noUsage
    : {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_creation_input_tokens: usage.cache_creation_input_tokens ?? 0,
        cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
      };

export function addSpanEnd(draft: Draft, context: StepContext, usage: Usage | undefined): void {
  add(draft, context, {
    type: "span.model_request_end",
    model_request_start_id: draft.state.openSpan,
    is_error: usage === undefined,
    model_usage: spanUsage(usage),
  });
}

/** Of a call of the model that gave nothing: it failed, or was ended from outside. */
export function closeSpan(draft: Draft, context: StepContext): void {
  if (draft.state.openSpan !== null) addSpanEnd(draft, context, undefined);
}
