// Previews on one client's stream: in their place among the events that are stored, which come another way.
import { frame, type SseWriter } from "../../../kernel/http/output/sse.ts";
import type { StoredEvent } from "../../../kernel/log/log.ts";
import { limits } from "../limits.ts";
import type { Preview, PreviewDelta, PreviewProgress, PreviewStart } from "./previews.ts";

/** A client that is slow, or has missed a piece, sees no more of that event until it comes whole. */
export class ShownPreviews {
  readonly #stream: SseWriter;
  readonly #wanted: readonly string[];
  /** The number of the next piece, by the event that is previewed. */
  readonly #next = new Map<string, number>();
  /** Those that have overtaken the events they follow. */
  #early: Preview[] = [];
  #earlyAfter = 0;
  /** The position of the last event that was sent, and of the last ends of a model's answer and of a call. */
  #position: number;
  #endedAt = 0;
  #resultAt = 0;

  constructor(stream: SseWriter, { wanted, after }: { wanted: readonly string[]; after: number }) {
    this.#stream = stream;
    this.#wanted = wanted;
    this.#position = after;
  }

  readonly take = (preview: Preview): void => {
    if ("start" in preview) this.#earlyAfter = preview.start.after;
    if ("progress" in preview) this.#earlyAfter = preview.progress.after;
    if (this.#earlyAfter <= this.#position) this.#show(preview);
    else if (this.#early.length < limits.earlyPreviewsMax) this.#early.push(preview);
  };

  /** An event has been sent. */
  follow({ position, type, id }: Pick<StoredEvent, "position" | "type" | "id">): void {
    this.#position = position;
    if (id !== null) this.#next.delete(id);
    if (type === "span.model_request_end") this.#endedAt = position;
    if (type === "agent.mcp_tool_result") this.#resultAt = position;
    if (this.#early.length === 0 || this.#earlyAfter > position) return;
    const early = this.#early;
    this.#early = [];
    for (const preview of early) this.#show(preview);
  }

  #show(preview: Preview): void {
    if ("start" in preview) this.#begin(preview.start);
    else if ("delta" in preview) this.#goOn(preview.delta);
    else this.#tell(preview.progress);
  }

  #begin({ id, type, after }: PreviewStart): void {
    if (!this.#wanted.includes(type) || after < this.#endedAt) return;
    const data = { type: "event_start", event: { type, id } };
    if (this.#relay(data)) this.#next.set(id, 0);
  }

  #goOn({ id, count, index, text }: PreviewDelta): void {
    if (this.#next.get(id) !== count) return void this.#next.delete(id);
    const content = { type: "text", text };
    const data = {
      type: "event_delta",
      event_id: id,
      delta: { type: "content_delta", index, content },
    };
    if (this.#relay(data)) this.#next.set(id, count + 1);
    else this.#next.delete(id);
  }

  #tell({ id, after, ...progress }: PreviewProgress): void {
    if (!this.#wanted.includes("agent.mcp_tool_use") || after < this.#resultAt) return;
    const data = { type: "event_progress", event_id: id, ...progress };
    this.#relay(data);
  }

  #relay(data: { type: string }): boolean {
    return this.#stream.relay(frame({ event: data.type, data }));
  }
}
