// What the tests of fallbacks share: four models, a check of bodies, and a caller with secrets.
import { makeManualClock } from "../../kernel/base/clock.ts";
import { invalid, type Failure } from "../../kernel/base/failure.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { seededRandom } from "../../kernel/base/random.ts";
import type { Context, Principal } from "../../kernel/context.ts";
import { openSecrets } from "../../kernel/secret/keyring.ts";
import { planHops, type HopPlan, type ValidateFor } from "../../server/fallbacks/module.ts";
import type { MessageBody, Model, Turn } from "../../server/models/module.ts";

const plain: Model = {
  id: "plain",
  aliases: [],
  displayName: "Plain",
  createdAt: "2026-01-01T00:00:00.000Z",
  lifecycle: "active",
  deprecatedAt: null,
  retiresAt: null,
  upstream: "here",
  upstreamModel: "plain",
  group: "plain",
  maxInputTokens: null,
  maxTokens: 1_000,
  efforts: [],
  recommendedEffort: null,
  thinking: ["disabled"],
  effortWithBudget: false,
  prefill: true,
  vision: false,
  documents: false,
  tools: true,
  structuredOutputs: true,
  prices: { input: 1, output: 1, cacheWrite5m: 1, cacheWrite1h: 1, cacheRead: 1 },
  allowedFallbackModels: [],
  fallbackRouting: {},
  classifiers: [],
  guard: null,
  cacheTokensMin: 0,
  pass: [],
  ignores: [],
  reportsCache: false,
};

/** All efforts and kinds of thinking, fast, with budgets for tasks. */
export const large: Model = {
  ...plain,
  id: "large",
  aliases: ["big"],
  maxTokens: 10_000,
  efforts: ["low", "medium", "high", "xhigh", "max"],
  thinking: ["adaptive", "disabled", "between_tools"],
  pass: ["speed", "task_budget"],
  allowedFallbackModels: ["medium", "small", "classic"],
  fallbackRouting: { cyber: "medium", bio: "middle", general_harms: "small", none: "medium" },
};
export const medium: Model = {
  ...plain,
  id: "medium",
  aliases: ["middle"],
  maxTokens: 5_000,
  efforts: ["low", "medium", "high", "max"],
  thinking: ["adaptive", "disabled"],
  allowedFallbackModels: ["small"],
  fallbackRouting: { cyber: "small" },
};
/** No effort, no thinking to speak of, and nowhere to go. */
export const small: Model = { ...plain, id: "small", aliases: ["little"] };
/** Thinks on a budget, with an effort beside it. */
export const classic: Model = {
  ...plain,
  id: "classic",
  efforts: ["low", "medium", "high", "max"],
  thinking: ["enabled"],
  effortWithBudget: true,
};

const models = [large, medium, small, classic];

export const catalog = {
  resolve: (name: string) =>
    models.find(({ id, aliases }) => id === name || aliases.includes(name)),
};

/** Stands for the check of the messages noun, which is handed in: capabilities and limits. */
export const validateFor: ValidateFor = (model, body): Failure | undefined => {
  const { effort, task_budget: budget } = body.output_config ?? {};
  const type = body.thinking?.["type"];
  if (effort !== undefined && !model.efforts.some((level) => level === effort))
    return invalid(`output_config.effort: ${model.id} does not take it.`);
  if (effort !== undefined && type === "enabled" && !model.effortWithBudget)
    return invalid(`output_config.effort: ${model.id} does not take it beside a budget.`);
  if (type !== undefined && !model.thinking.some((known) => known === type))
    return invalid(`thinking.type: ${model.id} does not take it.`);
  if (budget !== undefined && !model.pass.includes("task_budget"))
    return invalid(`output_config.task_budget: ${model.id} does not take it.`);
  if (body.max_tokens > (model.maxTokens ?? Infinity))
    return invalid(`max_tokens: ${model.id} has at most ${model.maxTokens}.`);
  if (body.speed === "fast" && !model.pass.includes("speed"))
    return invalid(`speed: ${model.id} is never fast.`);
  return undefined;
};

export const now07 = new Set(["server-side-fallback-2026-07-01"]);
export const now06 = new Set(["server-side-fallback-2026-06-01"]);
export const credit07 = new Set(["fallback-credit-2026-07-01"]);

export const user = (content: Turn["content"]): Turn => ({ role: "user", content });
export const assistant = (content: Turn["content"]): Turn => ({ role: "assistant", content });
export const text = (words: string) => ({ type: "text", text: words });
export const thinking = (signature: string) => ({ type: "thinking", thinking: "hm", signature });
export const boundary = (from = "large", to = "medium") => ({
  type: "fallback",
  from: { model: from },
  to: { model: to },
});

export const request = (fields: Partial<MessageBody> = {}): MessageBody => ({
  model: "large",
  max_tokens: 100,
  messages: [user("Hello.")],
  ...fields,
});

export const plan = (
  fields: Partial<MessageBody>,
  betas: ReadonlySet<string> = now07,
  model = large,
): HopPlan =>
  planHops({
    body: request(fields),
    betas,
    model,
    catalog,
    organizationType: "platform",
    validateFor,
  });

export type Caller = Pick<Context, "who" | "clock" | "ids" | "secrets">;

export async function makeCaller() {
  const clock = makeManualClock(new Date("2026-11-01T12:00:00.000Z"));
  const random = seededRandom(7);
  const secrets = await openSecrets({
    directory: "/proc/nowhere",
    masterKey: Buffer.alloc(32, 5).toString("base64"),
    random,
    clock,
  });
  const who: Principal = {
    kind: "api_key",
    credentialId: "key_1",
    organizationId: "org_1",
    organizationType: "platform",
    workspaceId: "wrkspc_1",
    userId: null,
    name: "A key",
    permissions: new Set(),
  };
  return { who, clock, ids: makeIds(clock, random), secrets };
}
