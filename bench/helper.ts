// Starts the other processes of a benchmark, so that what they use is not counted as the server's.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface Helper extends AsyncDisposable {
  /** One at a time. */
  ask<T>(question: unknown): Promise<T>;
}

type Answer<T> = { value: T } | { error: string };

export function openHelper(file: string, ...args: string[]): Helper {
  const child = fork(join(import.meta.dirname, file), args);
  const exited = once(child, "exit");
  return {
    ask: async <T>(question: unknown) => {
      child.send(question as object);
      const gone = exited.then(() => {
        throw new Error(`${file} has ended`);
      });
      const [answer] = (await Promise.race([once(child, "message"), gone])) as [Answer<T>];
      if ("error" in answer) throw new Error(answer.error);
      return answer.value;
    },
    [Symbol.asyncDispose]: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** In such a process: answers each question, and ends when its parent is gone. */
export function answerQuestions(answer: (question: unknown) => unknown): void {
  process.on("message", (question) => {
    void Promise.resolve(question)
      .then(answer)
      .then(
        (value) => process.send?.({ value }),
        (error: unknown) => process.send?.({ error: (error as Error).stack }),
      );
  });
  process.on("disconnect", () => process.exit(0));
}
