// The catalog that is there without any settings: the seven models of the simulator.
import type { Model } from "../types.ts";

export const simulatorName = "simulator";

/** What holds for an entry of the catalog that says nothing about it. */
export const modelDefaults = {
  aliases: [],
  lifecycle: "active",
  deprecatedAt: null,
  retiresAt: null,
  maxInputTokens: null,
  maxTokens: null,
  efforts: [],
  recommendedEffort: null,
  // A model that does not think has nothing to switch off.
  thinking: ["disabled"],
  effortWithBudget: false,
  prefill: true,
  vision: false,
  documents: false,
  tools: true,
  structuredOutputs: false,
  prices: { input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 },
  allowedFallbackModels: [],
  fallbackRouting: {},
  classifiers: [],
  guard: null,
  cacheTokensMin: 1_024,
  pass: [],
  ignores: [],
  reportsCache: false,
} as const satisfies Partial<Model>;

/** A write costs a quarter more for five minutes and twice as much for an hour; a read a tenth. */
export const pricesOf = (input: number, output: number): Model["prices"] => ({
  input,
  output,
  cacheWrite5m: Math.ceil((input * 5) / 4),
  cacheWrite1h: input * 2,
  cacheRead: Math.ceil(input / 10),
});

/** Tools of a known shape that the caller runs: to the simulator they are names to call. */
const callersTools = [
  "bash_20241022",
  "bash_20250124",
  "text_editor_20241022",
  "text_editor_20250124",
  "text_editor_20250429",
  "text_editor_20250728",
  "computer_20241022",
  "computer_20250124",
  "computer_20251124",
  "memory_20250818",
];

const simulated = (id: string, createdAt: string): Omit<Model, "displayName"> => ({
  ...modelDefaults,
  id,
  createdAt,
  upstream: simulatorName,
  upstreamModel: id,
  group: id,
  maxInputTokens: 200_000,
  maxTokens: 128_000,
  pass: callersTools,
});

/** Every category but one goes to the next smaller model: requests about building models go nowhere. */
const routingTo = (model: string): Model["fallbackRouting"] => ({
  cyber: model,
  bio: model,
  reasoning_extraction: model,
  general_harms: model,
  none: model,
});

/** A version ends at a `-` or the end: 4-1 is not 4-10. A bare 4 is followed by its year. */
const classicNames = (family: string): string[] => [
  `claude-3-*${family}*`,
  `claude-${family}-3`,
  `claude-${family}-3-*`,
  `claude-${family}-4`,
  `claude-${family}-4-latest`,
  `claude-${family}-4-2025*`,
  `claude-4-${family}*`,
  ...["4-0", "4-1", "4-5"].flatMap((version) => [
    `claude-${family}-${version}`,
    `claude-${family}-${version}-*`,
    `claude-${version}-${family}*`,
  ]),
];

/** Takes a budget for its thinking, also beside an effort: what clients send to names of the years before. */
const classic = {
  efforts: ["low", "medium", "high", "max"],
  recommendedEffort: "high",
  thinking: ["enabled", "disabled"],
  effortWithBudget: true,
  vision: true,
  documents: true,
  structuredOutputs: true,
} as const satisfies Partial<Model>;

export const simulatorModels: readonly Model[] = [
  {
    ...simulated("sim-large", "2026-07-01T00:00:00.000Z"),
    displayName: "Simulator Large",
    aliases: ["claude-*opus*", "claude-*"],
    efforts: ["low", "medium", "high", "xhigh", "max"],
    recommendedEffort: "xhigh",
    thinking: ["adaptive", "disabled", "between_tools"],
    prefill: false,
    vision: true,
    documents: true,
    structuredOutputs: true,
    prices: pricesOf(5_000, 25_000),
    allowedFallbackModels: [
      "sim-medium",
      "sim-small",
      "sim-adaptive-small",
      "sim-classic-large",
      "sim-classic",
      "sim-classic-small",
    ],
    fallbackRouting: routingTo("sim-medium"),
  },
  {
    ...simulated("sim-medium", "2026-04-01T00:00:00.000Z"),
    displayName: "Simulator Medium",
    aliases: ["claude-*sonnet*"],
    efforts: ["low", "medium", "high", "max"],
    recommendedEffort: "medium",
    thinking: ["adaptive", "disabled"],
    prefill: false,
    vision: true,
    documents: true,
    structuredOutputs: true,
    prices: pricesOf(3_000, 15_000),
    allowedFallbackModels: ["sim-small", "sim-adaptive-small", "sim-classic", "sim-classic-small"],
    fallbackRouting: routingTo("sim-small"),
  },
  {
    ...simulated("sim-small", "2026-01-01T00:00:00.000Z"),
    displayName: "Simulator Small",
    maxTokens: 64_000,
    thinking: ["disabled"],
    vision: true,
    documents: true,
    structuredOutputs: true,
    prices: pricesOf(1_000, 5_000),
  },
  {
    ...simulated("sim-adaptive-small", "2025-12-01T00:00:00.000Z"),
    displayName: "Simulator Adaptive Small",
    aliases: ["claude-*haiku*"],
    efforts: ["low", "medium", "high", "max"],
    recommendedEffort: "medium",
    thinking: ["adaptive", "disabled"],
    prefill: false,
    vision: true,
    documents: true,
    structuredOutputs: true,
    prices: pricesOf(1_000, 5_000),
    allowedFallbackModels: ["sim-small"],
    fallbackRouting: routingTo("sim-small"),
  },
  {
    ...simulated("sim-classic-large", "2025-11-01T00:00:00.000Z"),
    ...classic,
    displayName: "Simulator Classic Large",
    aliases: classicNames("opus"),
    prices: pricesOf(5_000, 25_000),
    allowedFallbackModels: [
      "sim-classic",
      "sim-classic-small",
      "sim-medium",
      "sim-small",
      "sim-adaptive-small",
    ],
    fallbackRouting: routingTo("sim-classic"),
  },
  {
    ...simulated("sim-classic", "2025-10-01T00:00:00.000Z"),
    ...classic,
    displayName: "Simulator Classic",
    aliases: ["claude-3-*", ...classicNames("sonnet")],
    prices: pricesOf(3_000, 15_000),
    allowedFallbackModels: ["sim-classic-small", "sim-small", "sim-adaptive-small"],
    fallbackRouting: routingTo("sim-classic-small"),
  },
  {
    ...simulated("sim-classic-small", "2025-09-01T00:00:00.000Z"),
    ...classic,
    displayName: "Simulator Classic Small",
    aliases: classicNames("haiku"),
    // The clients that use its names send no effort.
    efforts: [],
    recommendedEffort: null,
    effortWithBudget: false,
    prices: pricesOf(1_000, 5_000),
    allowedFallbackModels: ["sim-small"],
    fallbackRouting: routingTo("sim-small"),
  },
];
