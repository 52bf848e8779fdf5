// Rounds through all worker processes: the first process asks each of them, and waits for those that answer in time.
import type { Cluster } from "node:cluster";

/** A worker that is busy for longer is left out of this answer. */
export const roundTimeoutMs = 2_000;

export interface WorkerPolls {
  /** Asks every worker; resolves once all answered, are gone, or had their time. Gives how many were asked. */
  ask(messageOf: (round: number) => object): Promise<number>;
  answered(round: number, workerId: number): void;
  gone(workerId: number): void;
}

export function makeWorkerPolls(cluster: Cluster): WorkerPolls {
  const answeredIn = new Map<number, (workerId: number) => void>();
  let last = 0;
  return {
    ask: (messageOf) =>
      new Promise((resolve) => {
        const round = ++last;
        const missing = new Set<number>();
        let asked = 0;
        const finish = () => {
          clearTimeout(timer);
          answeredIn.delete(round);
          resolve(asked);
        };
        const timer = setTimeout(finish, roundTimeoutMs);
        answeredIn.set(round, (workerId) => {
          missing.delete(workerId);
          if (missing.size === 0) finish();
        });
        for (const worker of Object.values(cluster.workers ?? {}))
          if (worker?.isConnected()) {
            asked++;
            missing.add(worker.id);
            worker.send(messageOf(round));
          }
        if (missing.size === 0) finish();
      }),
    answered: (round, workerId) => answeredIn.get(round)?.(workerId),
    gone: (workerId) => {
      for (const answered of answeredIn.values()) answered(workerId);
    },
  };
}

/** Asks the first process, and waits for its answer. */
export function makePrimaryRequests<Answer>() {
  const asks = new Map<number, (answer: Answer) => void>();
  let last = 0;
  return {
    /** Undefined where it does not answer. */
    ask: async (send: (ask: number) => void): Promise<Answer | undefined> => {
      const ask = ++last;
      const answer = new Promise<Answer | undefined>((resolve) => {
        // Twice the time limit of the first process: it answers in time even when a worker does not.
        const timer = setTimeout(() => resolve(undefined), roundTimeoutMs * 2);
        asks.set(ask, (value) => {
          clearTimeout(timer);
          resolve(value);
        });
        send(ask);
      });
      return answer.finally(() => asks.delete(ask));
    },
    answered: (ask: number, answer: Answer) => asks.get(ask)?.(answer),
  };
}

/** Messages between the processes of one server carry the name: other code may use the channel too. */
export const isPlinthMessage = (message: unknown): message is { plinth: string } =>
  typeof message === "object" && message !== null && "plinth" in message;
