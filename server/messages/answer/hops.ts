// What is known of an answer while it is given, and of the hop that gives it: event by event, or whole.
import type { Accumulator, Block, Message, StreamEvent, WireEvent } from "../../models/module.ts";
import type { PreparedRequest } from "../prepare/prepared-request.ts";
import type { AnsweringHop } from "../run/begin-hop.ts";
import type { ModelRefusal } from "../run/classify.ts";
import type { ReportedUsage } from "../run/reported-usage.ts";
import type { WrittenTokens } from "../run/written-tokens.ts";
import type { DeclinedHop } from "./ending.ts";
import type { EventReader } from "./read-ahead.ts";

/** Takes an answer as it comes. */
export interface AnswerReader {
  /** Once, before the first events: what a reply over HTTP says in its head. */
  begin(headers: Readonly<Record<string, string>>): void;
  /** What came together. The promise is waited for: a slow reader slows the upstream. Throwing ends the answer. */
  take(events: readonly WireEvent[]): Promise<void> | undefined;
}

/** What is known of the whole answer, over all hops. */
export interface Answer {
  readonly prepared: PreparedRequest;
  readonly reader: AnswerReader;
  /** For the reader, when what came together has been looked at. */
  out: WireEvent[];
  declined: DeclinedHop[];
  /** Settlements of the declined hops, which must be durable before the last event. */
  settled: Promise<void>[];
  /** Contents of declined hops that the client has. */
  partials: (readonly Block[])[];
  /** Everything that the client has, boundaries too: the skeleton of the answer. */
  content: Block[];
  /** message_start has been given. */
  isStarted: boolean;
  /** Boundaries that stand behind message_start: hops before it declined without a word. */
  boundaries: WireEvent[];
  /** The number of the next block. */
  nextIndex: number;
}

export type Hop = HopStream | WholeHop;

/** A hop whose answer is there whole: none of it is given before it is known that no other hop answers. */
export interface WholeHop {
  readonly kind: "whole";
  readonly answering: AnsweringHop;
  /** Without what is withheld of a refusal. */
  readonly message: Message;
  readonly refusal: ModelRefusal | undefined;
  /** Some of its usage is this server's count. */
  readonly isCounted: boolean;
}

/** A hop that answers event by event. */
export interface HopStream {
  readonly kind: "stream";
  readonly answering: AnsweringHop;
  readonly abort: AbortController;
  /** message_start, held back while another hop may still answer in its place. */
  heldStart: WireEvent | undefined;
  events: EventReader;
  /** The usage that the upstream has reported so far; undefined before message_start. */
  reported: ReportedUsage | undefined;
  /** Added to the upstream's block numbers. */
  offset: number;
  openIndex: number | undefined;
  /** A text that has no word yet, from its beginning: a refusal before its first word comes before output. */
  blankEvents: WireEvent[];
  /** How many such texts ended without a word and were left out: later block numbers are less by that. */
  omittedBlocks: number;
  hasOutput: boolean;
  deltas: number;
  readonly written: WrittenTokens;
  readonly accumulator: Accumulator | undefined;
  readonly classify: ((text: string) => ModelRefusal | undefined) | undefined;
  end: StreamEvent | undefined;
  refusal: ModelRefusal | undefined;
}

/** The client has something of a hop that refused. Of a whole one nothing is given before another is asked. */
export const hasGivenOutput = (hop: Hop): boolean => hop.kind === "stream" && hop.hasOutput;

/** What a hop has written, as far as this server looks into it. */
export const contentOf = (hop: Hop): readonly Block[] =>
  hop.kind === "whole" ? hop.message.content : (hop.accumulator?.message()?.content ?? []);
