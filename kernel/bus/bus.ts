// The bus: messages from any process to those that listen, quickly and without a promise. See RULES.md.
import type { Duplex } from "node:stream";
import type { Logger } from "../base/logger.ts";
import { frame, frameReader } from "./frames.ts";
import { busLimits } from "./limits.ts";
import { makeSending, type Sending } from "./sending.ts";

type Listener = (data: string) => void;

export interface Bus {
  /** To all who listen just now, in this process and in others. Never waits and never throws; may be lost. */
  publish(channel: string, data: string): void;
  /** The result ends it. Messages from other processes come once those have heard of it. */
  subscribe(channel: string, listener: Listener): () => void;
}

/** Where a peer runs: on the machine of this process, or on another one. */
export type Where = "here" | "elsewhere";

export type LossReason = "queue_full" | "too_large" | "peer_gone";

export interface BusHub extends Bus {
  /** Sends to a peer what it listens to, over a connection that it has made. `hello` gives the name it says. */
  sendTo(connection: Duplex, where: Where, hello?: (name: string) => void): void;
  /** Hears from a peer what we listen to, over a connection that we have made. */
  hearFrom(connection: Duplex, where: Where, name?: string): void;
  /** How many messages wait for peers: for tests and numbers. */
  waiting(): number;
}

interface Peer {
  where: Where;
  channels: Set<string>;
  sending: Sending;
}

interface Channel {
  listeners: Set<Listener>;
  /** Peers elsewhere that have the messages of this machine through this process. */
  relays: number;
}

interface Hub {
  logger: Logger;
  lost: (reason: LossReason, count: number) => void;
  channels: Map<string, Channel>;
  peers: Set<Peer>;
  /** Peers that we hear from. */
  sources: Set<{ where: Where; connection: Duplex }>;
  /** Messages that listeners have yet to be called with. */
  called: { channel: string; data: string }[];
  isCalling: boolean;
}

export function makeBus({ logger, lost }: Pick<Hub, "logger" | "lost">): BusHub {
  const hub: Hub = {
    logger,
    lost,
    channels: new Map(),
    peers: new Set(),
    sources: new Set(),
    called: [],
    isCalling: false,
  };
  return {
    publish: (channel, data) => {
      if (isTooLarge(channel, data)) lost("too_large", 1);
      else deliver(hub, channel, data, "us");
    },
    subscribe: (channel, listener) => subscribe(hub, channel, listener),
    sendTo: (connection, where, hello) => sendTo(hub, connection, where, hello),
    hearFrom: (connection, where, name = "") => hearFrom(hub, connection, where, name),
    waiting: () => [...hub.peers].reduce((sum, { sending }) => sum + sending.waiting(), 0),
  };
}

function subscribe(hub: Hub, name: string, listener: Listener): () => void {
  // Each call is a subscription of its own, also with one function.
  const own: Listener = (data) => listener(data);
  if (Buffer.byteLength(name) > busLimits.channelBytesMax) {
    hub.logger.error({ channel: name.slice(0, 100) }, "a channel of the bus has too long a name");
    return () => {};
  }
  changeChannel(hub, name, ({ listeners }) => void listeners.add(own));
  return () => {
    if (hub.channels.get(name)?.listeners.has(own) === true)
      changeChannel(hub, name, ({ listeners }) => void listeners.delete(own));
  };
}

/** What is wanted from peers may change with it, and is told them. */
function changeChannel(hub: Hub, name: string, act: (channel: Channel) => void): void {
  const { channels, sources } = hub;
  const channel = channels.get(name) ?? { listeners: new Set(), relays: 0 };
  const before = wanted(channel);
  act(channel);
  const after = wanted(channel);
  if (after.here) channels.set(name, channel);
  else channels.delete(name);
  for (const { where, connection } of sources)
    if (after[where] !== before[where])
      tell(connection, frame(after[where] ? "listen" : "leave", name));
}

/** From which peers. What others elsewhere have through this process, they have of all elsewhere by themselves. */
const wanted = ({ listeners, relays }: Channel): Record<Where, boolean> => ({
  here: listeners.size > 0 || relays > 0,
  elsewhere: listeners.size > 0,
});

function deliver(hub: Hub, channel: string, data: string, from: Where | "us"): void {
  if (hub.channels.has(channel)) callListeners(hub, channel, data);
  if (from === "elsewhere") return;
  let bytes: Buffer | undefined;
  for (const { where, channels, sending } of hub.peers)
    // What came from a peer here has reached the others here by itself.
    if (channels.has(channel) && (from === "us" || where === "elsewhere"))
      sending.send(channel, (bytes ??= frame("message", channel, data)));
}

function callListeners(hub: Hub, channel: string, data: string): void {
  const { called, channels } = hub;
  if (called.length >= busLimits.waitingLocallyMax) {
    called.shift();
    hub.lost("queue_full", 1);
  }
  called.push({ channel, data });
  // What a listener publishes comes when all have heard what it was called with.
  if (hub.isCalling) return;
  hub.isCalling = true;
  for (let next = called.shift(); next !== undefined; next = called.shift())
    for (const listener of channels.get(next.channel)?.listeners ?? [])
      try {
        listener(next.data);
      } catch (error) {
        hub.logger.error({ error, channel: next.channel }, "a listener of the bus failed");
      }
  hub.isCalling = false;
}

function sendTo(
  hub: Hub,
  connection: Duplex,
  where: Where,
  hello: (name: string) => void = () => {},
): void {
  const sending = makeSending(connection, () => hub.lost("queue_full", 1));
  const peer: Peer = { where, channels: new Set(), sending };
  const relay = (channel: string, by: 1 | -1) => {
    if (where === "elsewhere") changeChannel(hub, channel, (known) => void (known.relays += by));
  };
  hub.peers.add(peer);
  readFrames(connection, (kind, channel) => {
    if (kind === "hello") hello(channel);
    const mayListen =
      !peer.channels.has(channel) && peer.channels.size < busLimits.channelsPerPeerMax;
    if (kind === "listen" && mayListen) {
      peer.channels.add(channel);
      relay(channel, 1);
    }
    if (kind === "leave" && peer.channels.delete(channel)) {
      sending.forget(channel);
      relay(channel, -1);
    }
  });
  connection.once("close", () => {
    hub.peers.delete(peer);
    for (const channel of peer.channels) relay(channel, -1);
    const left = sending.waiting();
    if (left > 0) hub.lost("peer_gone", left);
  });
}

function hearFrom(hub: Hub, connection: Duplex, where: Where, name: string): void {
  const source = { where, connection };
  hub.sources.add(source);
  connection.once("close", () => hub.sources.delete(source));
  readFrames(connection, (kind, channel, data) => {
    if (kind === "message") deliver(hub, channel, data, where);
  });
  tell(connection, frame("hello", name));
  for (const [known, channel] of hub.channels)
    if (wanted(channel)[where]) tell(connection, frame("listen", known));
}

const isTooLarge = (channel: string, data: string) =>
  Buffer.byteLength(channel) > busLimits.channelBytesMax ||
  // A UTF-16 unit is at most 3 bytes, so short texts need no counting.
  (data.length * 3 > busLimits.messageBytesMax &&
    Buffer.byteLength(data) > busLimits.messageBytesMax);

function readFrames(connection: Duplex, hear: Parameters<typeof frameReader>[0]): void {
  const read = frameReader(hear);
  connection.on("data", (chunk: Buffer) => {
    if (!read(chunk)) connection.destroy();
  });
  // Its close, which follows, says all there is to know.
  connection.on("error", () => {});
}

/** A peer that stands still must not fill our memory with the names of channels. */
function tell(connection: Duplex, bytes: Buffer): void {
  if (connection.destroyed) return;
  connection.write(bytes);
  if (connection.writableLength > busLimits.unreadChannelBytesMax) connection.destroy();
}
