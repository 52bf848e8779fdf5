// Questions to all processes of one server: each knows its own part, and any may be asked for the whole.
import type { Cluster, Worker } from "node:cluster";
import { isPlinthMessage, makePrimaryRequests, makeWorkerPolls } from "./worker-polls.ts";

export interface Peers {
  /** What this process says when somebody asks: plain data. */
  answer(topic: string, say: () => unknown): void;
  /** What all processes say, this one too. Fewer answers than were asked: one had no time. */
  ask(topic: string): Promise<PeerAnswers>;
  /** What this process says; undefined where it has nothing to say. */
  localAnswer(topic: string): unknown;
}

export interface PeerAnswers {
  asked: number;
  answers: readonly unknown[];
}

/** A process that is alone. */
export function openPeers(): Peers {
  const topics = new Map<string, () => unknown>();
  const own = (topic: string) => topics.get(topic)?.();
  return {
    answer: (topic, say) => void topics.set(topic, say),
    localAnswer: own,
    ask: (topic) => Promise.resolve(aloneWith(own(topic))),
  };
}

const aloneWith = (answer: unknown): PeerAnswers => ({ asked: 1, answers: [answer] });

type Message =
  | { plinth: "peers.ask"; ask: number; topic: string }
  | { plinth: "peers.told"; ask: number; told: PeerAnswers }
  | { plinth: "peers.question"; round: number; topic: string }
  | { plinth: "peers.answer"; round: number; answer: unknown };

/** The worker's side: answers the first process, and asks it for what all say. */
export function joinPeers(
  { localAnswer }: Peers,
  channel: NodeJS.Process = process,
): Pick<Peers, "ask"> & { close(): void } {
  const asks = makePrimaryRequests<PeerAnswers>();
  const send = (message: Message) => void channel.send?.(message);
  const hear = (said: unknown) => {
    if (!isPlinthMessage(said)) return;
    const message = said as Message;
    if (message.plinth === "peers.told") asks.told(message.ask, message.told);
    if (message.plinth !== "peers.question") return;
    const { round, topic } = message;
    send({ plinth: "peers.answer", round, answer: localAnswer(topic) ?? null });
  };
  channel.on("message", hear);
  return {
    ask: async (topic) => {
      const told = await asks.ask((ask) => send({ plinth: "peers.ask", ask, topic }));
      // The others, however many, said nothing.
      return told ?? { ...aloneWith(localAnswer(topic)), asked: 2 };
    },
    close: () => void channel.off("message", hear),
  };
}

/** The first process's side. Gives what stops it. */
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
    const told = { asked, answers };
    if (asker.isConnected()) asker.send({ plinth: "peers.told", ask, told } satisfies Message);
  };
  const hear = (worker: Worker, said: unknown) => {
    if (!isPlinthMessage(said)) return;
    const message = said as Message;
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
