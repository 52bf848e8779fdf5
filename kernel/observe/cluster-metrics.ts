// The metrics of all worker processes as one: any worker may be asked, the first process adds them
// up.
import type { Cluster, Worker } from "node:cluster";
import { AggregatorRegistry } from "prom-client";
import type { Metrics, MetricsSnapshot } from "./metrics.ts";

/** A worker that is busy for longer is left out of this answer. */
const answerTimeoutMs = 2_000;

type Message =
  | { plinth: "metrics.ask"; ask: number }
  | { plinth: "metrics.told"; ask: number; text: string }
  | { plinth: "metrics.collect"; round: number }
  | { plinth: "metrics.snapshot"; round: number; snapshot: MetricsSnapshot };

/** The worker's side: answers the first process, and asks it for the sum. */
export function joinClusterMetrics(
  metrics: Metrics,
  channel: NodeJS.Process = process,
): { text(): Promise<string>; close(): void } {
  const asks = new Map<number, (text: string) => void>();
  let lastAsk = 0;
  const send = (message: Message) => void channel.send?.(message);
  const hear = (message: unknown) => {
    if (!isOurs(message)) return;
    if (message.plinth === "metrics.told") asks.get(message.ask)?.(message.text);
    if (message.plinth !== "metrics.collect") return;
    const { round } = message;
    void metrics
      .snapshot()
      .then((snapshot) => send({ plinth: "metrics.snapshot", round, snapshot }));
  };
  channel.on("message", hear);
  return {
    text: async () => {
      const ask = ++lastAsk;
      const told = new Promise<string | undefined>((resolve) => {
        // Twice the patience of the first process: it answers in time even when a worker does not.
        const timer = setTimeout(() => resolve(undefined), answerTimeoutMs * 2);
        asks.set(ask, (text) => {
          clearTimeout(timer);
          resolve(text);
        });
        send({ plinth: "metrics.ask", ask });
      });
      const text = await told;
      asks.delete(ask);
      return text ?? (await metrics.text());
    },
    close: () => void channel.off("message", hear),
  };
}

/** The first process's side. Gives what stops it. */
export function gatherClusterMetrics(cluster: Cluster): () => void {
  const latest = new Map<number, MetricsSnapshot>();
  // What workers had counted that are gone: a sum that fell would look to Prometheus like a
  // restart.
  let departed: Promise<MetricsSnapshot> = Promise.resolve([]);
  const rounds = new Map<number, Round>();
  let lastRound = 0;

  const answer = async (asker: Worker, ask: number): Promise<void> => {
    const round = ++lastRound;
    await collect(cluster, round, rounds);
    const all = [await departed, ...latest.values()];
    const text = await AggregatorRegistry.aggregate(all).metrics();
    if (asker.isConnected()) asker.send({ plinth: "metrics.told", ask, text } satisfies Message);
  };
  const hear = (worker: Worker, message: unknown) => {
    if (!isOurs(message)) return;
    if (message.plinth === "metrics.ask") void answer(worker, message.ask);
    if (message.plinth !== "metrics.snapshot") return;
    latest.set(worker.id, message.snapshot);
    rounds.get(message.round)?.answered(worker.id);
  };
  const forget = (worker: Worker) => {
    const counts = (latest.get(worker.id) ?? []).filter(({ type }) => String(type) !== "gauge");
    latest.delete(worker.id);
    departed = departed.then((sum) =>
      AggregatorRegistry.aggregate([sum, counts]).getMetricsAsJSON(),
    );
    for (const round of rounds.values()) round.answered(worker.id);
  };
  cluster.on("message", hear);
  cluster.on("exit", forget);
  return () => {
    cluster.off("message", hear);
    cluster.off("exit", forget);
  };
}

interface Round {
  answered(workerId: number): void;
}

/** Asks every worker and resolves once all have answered, are gone, or have had their time. */
function collect(cluster: Cluster, number: number, rounds: Map<number, Round>): Promise<void> {
  return new Promise((resolve) => {
    const missing = new Set<number>();
    const finish = () => {
      clearTimeout(timer);
      rounds.delete(number);
      resolve();
    };
    const timer = setTimeout(finish, answerTimeoutMs);
    rounds.set(number, {
      answered: (workerId) => {
        missing.delete(workerId);
        if (missing.size === 0) finish();
      },
    });
    for (const worker of Object.values(cluster.workers ?? {}))
      if (worker?.isConnected()) {
        missing.add(worker.id);
        worker.send({ plinth: "metrics.collect", round: number } satisfies Message);
      }
    if (missing.size === 0) finish();
  });
}

function isOurs(message: unknown): message is Message {
  return typeof message === "object" && message !== null && "plinth" in message;
}
