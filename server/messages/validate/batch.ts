// What a message request may not hold within a batch.
import { invalidField } from "../problem.ts";

/** They mean a stream, another speed or a conversation that is kept, none of which a batch has. */
const refusedFields = [
  "fallbacks",
  "thread",
  "speed",
  "store",
  "previous_thread_event_id",
  "cache_hint",
  "context_hint",
] as const;

/** Rule MSG54. Throws the Failure that names the field. */
export function expectBatchable(value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidField(["params"], "must be an object", value);
  const params = value as Readonly<Record<string, unknown>>;
  for (const field of refusedFields)
    if ((params[field] ?? null) !== null)
      throw invalidField([field], "is not taken within a batch; leave it out");
  if (params["stream"] === true)
    throw invalidField(
      ["stream"],
      "cannot be true within a batch: its results are read when it has ended",
    );
  if (params["max_tokens"] === 0)
    throw invalidField(
      ["max_tokens"],
      "cannot be 0 within a batch: warm the cache with a request of its own",
    );
  if (params["research_preview_2026_02"] === "active")
    throw invalidField(
      ["research_preview_2026_02"],
      "cannot be active within a batch; leave it out",
    );
}
