// Questions to all processes of one server: each answers for itself, and any may be asked for all answers.
import type { Cluster, Worker } from "node:cluster";
import { isPlinthMessage, makePrimaryRequests, makeWorkerPolls } from "./worker-polls.ts";

export interface Peers {
  /** Registers what this process answers on a topic: plain data. */
  answer(topic: string, say: () => unknown): void;
  /** The answers of all processes, this one's too. Fewer `answers` than `asked`: one did not answer in time. */
  ask(topic: string): Promise<PeerAnswers>;
  /** The answer of this process; undefined where it has none. */
  localAnswer(topic: string): unknown;
}

export interface PeerAnswers {
  asked: number;
  answers: readonly unknown[];
}

/** A process that is alone. */
export function openPeers(): Peers {
  const topics = new Map<string, () => unknown>();
  const localAnswer = (topic: string) => topics.get(topic)?.();
  return {
    answer: (topic, say) => void topics.set(topic, say),
    localAnswer,
    ask: (topic) => Promise.resolve(aloneWith(localAnswer(topic))),
  };
}

const aloneWith = (answer: unknown): PeerAnswers => ({ asked: 1, answers: [answer] });

type Message =
  | { plinth: "peers.ask"; ask: number; topic: string }
  | { plinth: "peers.told"; ask: number; told: PeerAnswers }
  | { plinth: "peers.question"; round: number; topic: string }
  | { plinth: "peers.answer"; round: number; answer: unknown };

/** The worker's side: answers the first process, and asks it for the answers of all. */
export function joinPeers(
  { localAnswer }: Peers,
  channel: NodeJS.Process = process,
): Pick<Peers, "ask"> & { close(): void } {
  const asks = makePrimaryRequests<PeerAnswers>();
  const send = (message: Message) => void channel.send?.(message);
  const hear = (received: unknown) => {
    if (!isPlinthMessage(received)) return;
    const message = received as Message;
    if (message.plinth === "peers.told") asks.answered(message.ask, message.told);
    if (message.plinth !== "peers.question") return;
    const { round, topic } = message;
    send({ plinth: "peers.answer", round, answer: localAnswer(topic) ?? null });
  };
  channel.on("message", hear);
  return {
    ask: async (topic) => {
      const all = await asks.ask((ask) => send({ plinth: "peers.ask", ask, topic }));
      // The others, however many, did not answer.
      return all ?? { ...aloneWith(localAnswer(topic)), asked: 2 };
    },
    close: () => void channel.off("message", hear),
  };
}

/** The first process's side. Returns a function that stops it. */
export function relayPeers(cluster: Cluster): () => void {
  const rounds = makeWorkerPolls(cluster);
  const answersIn = new Map<number, unknown[]>();

  const relay = async (asker: Worker, ask: number, topic: string): Promise<void> => {
    const answers: unknown[] = [];
    let number = 0;
    const asked = await rounds.ask((round) => {
      number = round;
      answersIn.set(round, answers);
      return { plinth: "peers.question", round, topic } satisfies Message;
    });
    answersIn.delete(number);
    const all: PeerAnswers = { asked, answers };
    if (asker.isConnected()) asker.send({ plinth: "peers.told", ask, told: all } satisfies Message);
  };
  const hear = (worker: Worker, received: unknown) => {
    if (!isPlinthMessage(received)) return;
    const message = received as Message;
    if (message.plinth === "peers.ask") void relay(worker, message.ask, message.topic);
    if (message.plinth !== "peers.answer") return;
    answersIn.get(message.round)?.push(message.answer);
    rounds.answered(message.round, worker.id);
  };
  const forget = (worker: Worker) => rounds.gone(worker.id);
  cluster.on("message", hear);
  cluster.on("exit", forget);
  return () => {
    cluster.off("message", hear);
    cluster.off("exit", forget);
  };
}
