// What is known of a streamed answer while it goes out, and of the hop that answers in it.
import type { Accumulator, Block, StreamEvent, WireEvent } from "../../models/module.ts";
import type { PreparedRequest } from "../prepare/prepared-request.ts";
import type { AnsweringHop } from "../run/begin-hop.ts";
import type { ModelRefusal } from "../run/classify.ts";
import type { ReportedUsage } from "../run/reported-usage.ts";
import type { WrittenTokens } from "../run/written-tokens.ts";
import type { DeclinedHop } from "./ending.ts";
import type { EventReader } from "./read-ahead.ts";

/** What is known of the whole answer, over all hops. */
export interface AnswerStream {
  prepared: PreparedRequest;
  signal: AbortSignal;
  declined: DeclinedHop[];
  /** Settlements of the declined hops, which must be durable before the last frame. */
  settled: Promise<void>[];
  /** Contents of declined hops that the client has. */
  partials: (readonly Block[])[];
  /** Everything that the client has, boundaries too: the skeleton of the answer. */
  content: Block[];
  /** message_start has been sent. */
  isStarted: boolean;
  /** The number of the next block. */
  nextIndex: number;
}

/** The hop that answers now. */
export interface HopStream {
  answering: AnsweringHop;
  abort: AbortController;
  /** message_start, held back while another hop may still answer in its place. */
  heldStart: string;
  events: EventReader;
  /** Boundaries that stand behind message_start: hops before this one declined without a word. */
  boundary: string;
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
  written: WrittenTokens;
  accumulator: Accumulator | undefined;
  classify: ((text: string) => ModelRefusal | undefined) | undefined;
  end: StreamEvent | undefined;
  refusal: ModelRefusal | undefined;
}
