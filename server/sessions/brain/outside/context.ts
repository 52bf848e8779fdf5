// What a step of a session that is done outside is given, and what comes of it.
import type { Member } from "../../model/members.ts";
import type { WorkedSession } from "../../model/queries.ts";
import type { StepContext } from "../../steps/context.ts";
import type { Draft } from "../../steps/drafts.ts";
import type { Thread } from "../../steps/thread.ts";

/** Puts what came of it into a draft; it is tried again after a pause where it says so, "later" as after a failure. */
export type Came = (draft: Draft, context: StepContext) => "later" | { pauseMs: number } | void;

export interface OutsideContext {
  session: WorkedSession;
  members: readonly Member[];
  thread: Thread;
  signal: AbortSignal;
  /** That models are asked with; a new one where it is left out. */
  requestId?: string;
  /** Writes something of a step that goes on. Rejects where the session is no longer ours. */
  tell: (came: Came) => Promise<void>;
  /** Resolves when a client has sent something. */
  heard: () => Promise<void>;
}
