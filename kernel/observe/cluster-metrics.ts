// The metrics of all worker processes as one: any worker may be asked, the first process adds them
// up.
import type { Cluster, Worker } from "node:cluster";
import { AggregatorRegistry } from "prom-client";
import type { Metrics, MetricsSnapshot } from "./metrics.ts";
import { isPlinthMessage, makePrimaryRequests, makeWorkerPolls } from "./worker-polls.ts";

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
  const asks = makePrimaryRequests<string>();
  const send = (message: Message) => void channel.send?.(message);
  const hear = (received: unknown) => {
    if (!isPlinthMessage(received)) return;
    const message = received as Message;
    if (message.plinth === "metrics.told") asks.answered(message.ask, message.text);
    if (message.plinth !== "metrics.collect") return;
    const { round } = message;
    void metrics
      .snapshot()
      .then((snapshot) => send({ plinth: "metrics.snapshot", round, snapshot }));
  };
  channel.on("message", hear);
  return {
    text: async () => {
      const text = await asks.ask((ask) => send({ plinth: "metrics.ask", ask }));
      return text ?? (await metrics.text());
    },
    close: () => void channel.off("message", hear),
  };
}

/** The first process's side. Returns a function that stops it. */
export function gatherClusterMetrics(cluster: Cluster): () => void {
  const latest = new Map<number, MetricsSnapshot>();
  // The counts of workers that are gone: a sum that fell would look to Prometheus like a restart.
  let departed: Promise<MetricsSnapshot> = Promise.resolve([]);
  const rounds = makeWorkerPolls(cluster);

  const answer = async (asker: Worker, ask: number): Promise<void> => {
    await rounds.ask((round) => ({ plinth: "metrics.collect", round }) satisfies Message);
    const all = [await departed, ...latest.values()];
    const text = await AggregatorRegistry.aggregate(all).metrics();
    if (asker.isConnected()) asker.send({ plinth: "metrics.told", ask, text } satisfies Message);
  };
  const hear = (worker: Worker, received: unknown) => {
    if (!isPlinthMessage(received)) return;
    const message = received as Message;
    if (message.plinth === "metrics.ask") void answer(worker, message.ask);
    if (message.plinth !== "metrics.snapshot") return;
    latest.set(worker.id, message.snapshot);
    rounds.answered(message.round, worker.id);
  };
  const forget = (worker: Worker) => {
    const counts = (latest.get(worker.id) ?? []).filter(({ type }) => String(type) !== "gauge");
    latest.delete(worker.id);
    departed = departed.then((sum) =>
      AggregatorRegistry.aggregate([sum, counts]).getMetricsAsJSON(),
    );
    rounds.gone(worker.id);
  };
  cluster.on("message", hear);
  cluster.on("exit", forget);
  return () => {
    cluster.off("message", hear);
    cluster.off("exit", forget);
  };
}
