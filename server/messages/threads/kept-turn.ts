// One turn of a conversation that this server keeps, as the engine sees it.
import type { Statement } from "../../../kernel/sql/statement.ts";
import type { Block } from "../../models/module.ts";

export interface KeptTurn {
  /** The answer's id, whatever the upstream calls it: known before there is an answer, and never given twice. */
  readonly messageId: string;
  /**
   * Stores what the turn added; it counts once the statement has been committed. Undefined where it could not be
   * stored: the answer is the client's all the same.
   */
  keep(answer: {
    content: readonly Block[];
    stopReason: string | null;
  }): Promise<Statement | undefined>;
  /** The request is over: where nothing was kept, the thread is as it was before and may be continued again. */
  end(): Promise<void>;
}
