// Shapes of models and upstreams: in the settings file, in the console and on the wire.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { idPage, idQuery } from "../../kernel/http/pages.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { nameCharactersMax, origins } from "./catalog/catalog.ts";
import { Scenario, type ScenarioTurn } from "./steering/scenario.ts";
import { efforts, ignorable, refusalCategories, thinkingTypes } from "./types.ts";

const named = (pattern: string, sentence: string) =>
  Type.String({ minLength: 1, maxLength: nameCharactersMax, ...worded(pattern, sentence) });
const Name = named("^[^\\s*]+$", "must have no blanks and no *");
/** A name, or `*` alone for what no rule here knows: see `passesUnknown`. */
const Passed = named("^([^\\s*]+|\\*)$", "must be a name without blanks and *, or * alone");
const Alias = named("^\\S+$", "must have no blanks");
const Count = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });
/** Nano-dollars for one token. */
const Price = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });
const Time = Type.String({ format: "date-time" });
const optional = Type.Optional;
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
export const lifecycles = ["active", "deprecated", "retired"] as const;

/** One model, as the settings file and the console say it. What is left out is as in `modelDefaults`. */
export const ModelEntry = closed({
  id: Name,
  upstream: optional(Type.String({ minLength: 1, maxLength: 100 })),
  upstream_model: optional(Type.String({ minLength: 1, maxLength: nameCharactersMax })),
  aliases: optional(Type.Array(Alias, { maxItems: 100 })),
  display_name: optional(Type.String({ minLength: 1, maxLength: 200 })),
  created_at: optional(Time),
  lifecycle: optional(Type.Enum([...lifecycles])),
  deprecated_at: optional(nullable(Time)),
  retires_at: optional(nullable(Time)),
  group: optional(Type.String({ minLength: 1, maxLength: 100 })),
  max_input_tokens: optional(nullable(Count)),
  max_tokens: optional(nullable(Count)),
  efforts: optional(Type.Array(Type.Enum([...efforts]), { maxItems: 5 })),
  recommended_effort: optional(nullable(Type.Enum([...efforts]))),
  thinking: optional(Type.Array(Type.Enum([...thinkingTypes]), { maxItems: 4 })),
  effort_with_budget: optional(Type.Boolean()),
  prefill: optional(Type.Boolean()),
  vision: optional(Type.Boolean()),
  documents: optional(Type.Boolean()),
  tools: optional(Type.Boolean()),
  structured_outputs: optional(Type.Boolean()),
  prices: optional(
    closed({
      input: Price,
      output: Price,
      cache_write_5m: optional(Price),
      cache_write_1h: optional(Price),
      cache_read: optional(Price),
    }),
  ),
  allowed_fallback_models: optional(Type.Array(Name, { maxItems: 100 })),
  fallback_routing: optional(
    closed({
      cyber: optional(Name),
      bio: optional(Name),
      frontier_llm: optional(Name),
      reasoning_extraction: optional(Name),
      general_harms: optional(Name),
      none: optional(Name),
    }),
  ),
  classifiers: optional(
    Type.Array(
      closed({
        category: nullable(Type.Enum([...refusalCategories])),
        on: Type.Enum(["input", "output"]),
        pattern: Type.String({ minLength: 1, maxLength: 1_000 }),
        explanation: optional(Type.String({ maxLength: 500 })),
      }),
      { maxItems: 100 },
    ),
  ),
  guard: optional(nullable(Name)),
  cache_tokens_min: optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  pass: optional(Type.Array(Passed, { maxItems: 100 })),
  ignores: optional(Type.Array(Type.Enum([...ignorable]), { maxItems: 2 })),
  reports_cache: optional(Type.Boolean()),
});
export type ModelEntry = Static<typeof ModelEntry>;

const Milliseconds = optional(Type.Integer({ minimum: 1, maximum: 86_400_000 }));
const HeaderName = Type.String(
  worded("^[a-z0-9-]{1,100}$", "must have small letters, digits and - only"),
);
const upstreamFields = {
  kind: Type.Enum(["messages", "chat", "simulator"]),
  base_url: optional(Type.String({ minLength: 1, maxLength: 2_000 })),
  /** Beside our own headers, or instead of them. */
  headers: optional(Type.Record(HeaderName, Type.String())),
  /** Fields and typed tools that it takes beside the common ones. */
  pass: optional(Type.Array(Passed, { maxItems: 100 })),
  timeouts: optional(
    closed({
      connect_ms: Milliseconds,
      first_byte_ms: Milliseconds,
      between_bytes_ms: Milliseconds,
      total_ms: Milliseconds,
    }),
  ),
};
const KeyText = Type.String({
  minLength: 1,
  maxLength: 8_192,
  ...worded("^[\\x21-\\x7e]+$", "must have plain characters only, without blanks"),
});

/** In the settings file a scenario may be a path; it is read at the start. */
export const UpstreamEntry = closed({
  ...upstreamFields,
  key: optional(KeyText),
  scenario: optional(Type.Union([Scenario, Type.String({ minLength: 1 })])),
});
/** As they are kept: with the scenario itself. */
export const StoredUpstream = closed({ ...upstreamFields, scenario: optional(Scenario) });
export type StoredUpstream = Static<typeof StoredUpstream>;
export type Upstream = Omit<StoredUpstream, "scenario"> & {
  key?: string;
  scenario?: readonly ScenarioTurn[];
};

export const UpstreamName = Type.String({
  ...worded(
    "^[a-z0-9][a-z0-9._-]{0,99}$",
    "must have 1 to 100 small letters, digits, dots, _ and -, and begin with a letter or a digit",
  ),
});

/** In the console: headers and key are written and never read; left out, they stay as they are. */
export const SetUpstream = closed({
  name: UpstreamName,
  ...upstreamFields,
  key: optional(nullable(KeyText)),
  scenario: optional(Scenario),
});
export type SetUpstream = Static<typeof SetUpstream>;

const origin = Type.Enum([...origins]);

export const ConsoleModel = Type.Object(
  { ...ModelEntry.properties, origin },
  { $id: "ConsoleModel" },
);
export type ConsoleModel = Static<typeof ConsoleModel>;
export const ConsoleModels = Type.Object({
  data: Type.Array(ConsoleModel),
  /** What was set in the console and does not hold together with the settings any more. */
  problems: Type.Array(Type.String()),
});

export const ConsoleUpstream = Type.Object(
  {
    name: Type.String(),
    kind: upstreamFields.kind,
    origin,
    base_url: nullable(Type.String()),
    key_hint: nullable(Type.String()),
    header_names: Type.Array(Type.String()),
    pass: Type.Array(Type.String()),
    timeouts: upstreamFields.timeouts,
    scenario_turns: Type.Integer(),
  },
  { $id: "ConsoleUpstream" },
);
export type ConsoleUpstream = Static<typeof ConsoleUpstream>;
export const ConsoleUpstreams = Type.Object({ data: Type.Array(ConsoleUpstream) });
/** How an upstream fares, over the processes that answered. */
export const ConsoleUpstreamHealth = Type.Object(
  {
    name: Type.String(),
    /** By its last outcome. */
    state: Type.Enum(["works", "failing", "not_asked"]),
    failing_since: nullable(Time),
    last_success_at: nullable(Time),
    last_failure: nullable(Type.Object({ at: Time, code: Type.String() })),
    /** Requests under way. */
    open: Type.Integer(),
    /** The middle of the times until the last answers began. */
    answer_ms: nullable(Type.Integer()),
    /** How requests ended that ended lately; by minute, oldest first. */
    lately: Type.Object({
      answered: Type.Integer(),
      failed: Type.Integer(),
      by_minute: Type.Array(Type.Object({ answered: Type.Integer(), failed: Type.Integer() })),
    }),
  },
  { $id: "ConsoleUpstreamHealth" },
);
export type ConsoleUpstreamHealth = Static<typeof ConsoleUpstreamHealth>;
export const ConsoleUpstreamsHealth = Type.Object({
  data: Type.Array(ConsoleUpstreamHealth),
  /** Of the server that was asked: the numbers are those of the processes that answered in time. */
  processes: Type.Object({ asked: Type.Integer(), answered: Type.Integer() }),
});
/** An upstream that exists, by its name, or one to be set, by its address. */
export const TestUpstream = closed({
  name: optional(UpstreamName),
  base_url: upstreamFields.base_url,
  key: optional(KeyText),
});
export type TestUpstream = Static<typeof TestUpstream>;
export const TestedUpstream = Type.Object({
  works: Type.Boolean(),
  /** Which wire it speaks. */
  kind: nullable(upstreamFields.kind),
  models: Type.Array(Type.String()),
  /** What the test found, as a sentence for a person. */
  detail: Type.String(),
});
export type TestedUpstream = Static<typeof TestedUpstream>;

export const UpstreamParams = closed({ upstream_name: UpstreamName });

const Supported = Type.Object({ supported: Type.Boolean() });
const NullableString = nullable(Type.String());

/** As the official client knows it, and the effort to start with. */
export const ModelInfo = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("model"),
    display_name: Type.String(),
    created_at: Time,
    lifecycle: Type.Enum([...lifecycles]),
    deprecated_at: NullableString,
    retires_at: NullableString,
    line: Type.Null(),
    max_input_tokens: nullable(Type.Integer()),
    max_tokens: nullable(Type.Integer()),
    capabilities: Type.Object({
      batch: Supported,
      citations: Supported,
      code_execution: Supported,
      compaction: nullable(Type.Object({ supported: Type.Boolean(), summarize: Supported })),
      context_management: Type.Object({
        supported: Type.Boolean(),
        clear_thinking_20251015: Type.Null(),
        clear_tool_uses_20250919: Type.Null(),
        compact_20260112: Type.Null(),
      }),
      effort: Type.Object({
        supported: Type.Boolean(),
        low: Supported,
        medium: Supported,
        high: Supported,
        max: Supported,
        xhigh: nullable(Supported),
      }),
      image_input: Supported,
      pdf_input: Supported,
      server_tools: Type.Object({
        supported: Type.Boolean(),
        web_search: Supported,
        code_execution: Supported,
      }),
      structured_outputs: Supported,
      thinking: Type.Object({
        supported: Type.Boolean(),
        types: Type.Object({
          adaptive: Supported,
          enabled: Supported,
          disabled: Supported,
          between_tools: Supported,
        }),
      }),
    }),
    /** Null without the beta server-side-fallback-2026-07-01. */
    allowed_fallback_models: nullable(Type.Array(Type.String())),
    recommended_effort: nullable(Type.Enum([...efforts])),
  },
  { $id: "ModelInfo" },
);
export type ModelInfo = Static<typeof ModelInfo>;
export const ModelInfoPage = idPage(ModelInfo);

export const ModelQuery = closed({
  ...idQuery,
  lifecycle: optional(Type.Array(Type.Enum([...lifecycles]), { maxItems: 3 })),
});
export type ModelQuery = Static<typeof ModelQuery>;
export const ModelParams = closed({
  model_id: Type.String({ minLength: 1, maxLength: nameCharactersMax }),
});
