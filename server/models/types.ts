// What a model is and what an attempt on it gives: the language between models, messages and fallbacks.
import type { Failure } from "../../kernel/base/failure.ts";
import type { UpstreamHealth } from "./health/record.ts";

export const efforts = ["low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

export const thinkingTypes = ["enabled", "adaptive", "disabled", "between_tools"] as const;
export type ThinkingType = (typeof thinkingTypes)[number];

export const refusalCategories = [
  "cyber",
  "bio",
  "frontier_llm",
  "reasoning_extraction",
  "general_harms",
] as const;
export type RefusalCategory = (typeof refusalCategories)[number];

/** What a model's entry may name in `ignores`. */
export const ignorable = ["thinking", "effort"] as const;
export type Ignorable = (typeof ignorable)[number];

/** nano-dollars for one token, whole numbers: 3 dollars a million tokens are 3,000. */
export interface Prices {
  input: number;
  output: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  cacheRead: number;
}

/** A pattern over what is read or written, and the refusal it means. */
export interface ClassifierRule {
  category: RefusalCategory | null;
  on: "input" | "output";
  pattern: string;
  explanation?: string;
}

export interface Model {
  id: string;
  aliases: readonly string[];
  displayName: string;
  createdAt: string;
  lifecycle: "active" | "deprecated" | "retired";
  deprecatedAt: string | null;
  retiresAt: string | null;
  /** The name of its upstream, and what it is called there. */
  upstream: string;
  upstreamModel: string;
  /** Rate limits are counted by group. */
  group: string;
  maxInputTokens: number | null;
  maxTokens: number | null;
  /** Levels it takes; none: it takes no effort at all. */
  efforts: readonly Effort[];
  recommendedEffort: Effort | null;
  thinking: readonly ThinkingType[];
  /** Extended thinking with a budget beside an effort: one older family. */
  effortWithBudget: boolean;
  prefill: boolean;
  vision: boolean;
  documents: boolean;
  tools: boolean;
  structuredOutputs: boolean;
  prices: Prices;
  /** Canonical ids. Empty: no server-side fallback from here. */
  allowedFallbackModels: readonly string[];
  /** Where `default` goes, by category; `none` for a refusal without one. Absent: nowhere. */
  fallbackRouting: Readonly<Partial<Record<RefusalCategory | "none", string>>>;
  classifiers: readonly ClassifierRule[];
  /** A model that is asked first whether the request may be answered. */
  guard: string | null;
  /** Prefixes shorter than this are not cached. */
  cacheTokensMin: number;
  /** Top-level fields, typed tools and betas that its upstream takes beside the common ones. */
  pass: readonly string[];
  /** Dropped, and named in the reply, where the model does not take it: else such a request is refused. */
  ignores: readonly Ignorable[];
  /** Whether the upstream itself reports cache reads and writes. */
  reportsCache: boolean;
}

/** A request's body: JSON that the messages noun has checked. Open here, closed at the edge. */
export interface MessageBody {
  model: string;
  max_tokens: number;
  messages: readonly Turn[];
  system?: string | readonly Block[];
  tools?: readonly Record<string, unknown>[];
  tool_choice?: Record<string, unknown>;
  thinking?: Record<string, unknown> | null;
  output_config?: Record<string, unknown> | null;
  stop_sequences?: readonly string[];
  stream?: boolean;
  speed?: string | null;
  [field: string]: unknown;
}

export interface Turn {
  role: "user" | "assistant" | "system";
  content: string | readonly Block[];
  [field: string]: unknown;
}

export interface Block {
  type: string;
  [field: string]: unknown;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number } | null;
  [field: string]: unknown;
}

export interface StopDetails {
  type: "refusal";
  category: RefusalCategory | null;
  explanation: string | null;
  [field: string]: unknown;
}

export interface Message {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: Block[];
  stop_reason: string | null;
  stop_sequence: string | null;
  stop_details: StopDetails | null;
  usage: Usage;
  [field: string]: unknown;
}

/** One event of a stream, as the contract has it. */
export interface StreamEvent {
  type: string;
  [field: string]: unknown;
}

/** One frame on the wire: relayed as it is, parsed only by a reader that needs its data. */
export interface WireEvent {
  name: string;
  /** The whole frame with its closing blank line. */
  raw: string;
  data(): StreamEvent;
}

/** What is known of an attempt under way: a caller that gives it up has to know what the upstream did for it. */
export interface AttemptProgress {
  /** The request has gone out to the upstream; one that waits for a connection has not. */
  isSent: boolean;
  /** Tokens that the upstream is known to have written, also where no event has reported them. */
  writtenTokens: number;
  /** Some of the usage that the answer reports was counted by the adapter: the upstream did not say it. */
  isEstimated: boolean;
  /** When the attempt began, by the monotonic clock. */
  startedMs?: number | undefined;
}

export const newAttemptProgress = (): AttemptProgress => ({
  isSent: false,
  writtenTokens: 0,
  isEstimated: false,
  startedMs: undefined,
});

export interface AttemptRequest {
  model: Model;
  /**
   * Without fields of this server alone: fallbacks, credit tokens, thread. Its `model` is still the catalog's id. Where
   * it is read after the attempt has begun, a long one is read from its bytes again.
   */
  readonly body: MessageBody;
  /** The client's bytes, where `body` is what they say: forwarded with only the model's name replaced. */
  original?: { bytes: Buffer; modelStart: number; modelEnd: number } | undefined;
  stream: boolean;
  /** Betas that are not ours. */
  betas: ReadonlySet<string>;
  requestId: string;
  signal: AbortSignal;
  /** Written to as the attempt goes on. */
  progress?: AttemptProgress | undefined;
  /** For the upstream, where it is to know of the trace. */
  traceparent?: string | undefined;
}

/** A stream that breaks throws a Failure from its iterator. */
export type Attempt =
  /** `raw` is the text that it came in, where it came in one. */
  | { kind: "message"; message: Message; raw?: string }
  | { kind: "stream"; events: AsyncIterable<readonly WireEvent[]> }
  /**
   * Before any output: the upstream's status, type, sentence and retry-after. `upstreamStatus` is its status even
   * where the client gets another.
   */
  | { kind: "failure"; failure: Failure; upstreamStatus?: number };

/** How a kind of upstream is spoken to. */
export interface Adapter {
  attempt(request: AttemptRequest): Promise<Attempt>;
  /** A part of this body that the upstream's wire cannot say; judged before it is asked. Absent: there is none. */
  problemOf?(model: Model, body: MessageBody): Failure | undefined;
  /** Whether a thought with this signature may be the upstream's; absent: it checks no signatures. */
  mayBeOwnThought?(signature: string): boolean;
  /** Undefined where the upstream cannot count. */
  countTokens(request: AttemptRequest): Promise<number | undefined>;
  /** How the upstream fares in this process. */
  health(): UpstreamHealth;
  /** Requests under way, from this process. */
  underWay(): number;
  close(): Promise<void>;
}

/** Tokens of one hop by class of price. */
export interface TokenCounts {
  input: number;
  output: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  cacheRead: number;
}

export const noTokens: TokenCounts = {
  input: 0,
  output: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  cacheRead: 0,
};
