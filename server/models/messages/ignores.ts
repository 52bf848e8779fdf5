// Drops from a request what a model's entry names in `ignores`, because its upstream has no word for it.
import type { Block, Ignorable, MessageBody, Model, Turn } from "../types.ts";

/** The header that names what was dropped. */
const ignoredHeader = "plinth-ignored";

interface Kept {
  body: MessageBody;
  dropped: readonly Ignorable[];
}

/** Rule MDL17. The very same body where nothing is dropped, which is so for every model that ignores nothing. */
export function withoutIgnored(model: Model, body: MessageBody): MessageBody {
  return model.ignores.length === 0 ? body : keptOf(model, body).body;
}

/** As a header of the reply; none where nothing was dropped. */
export function ignoredHeaders(model: Model, body: MessageBody): Record<string, string> {
  if (model.ignores.length === 0) return {};
  const { dropped } = keptOf(model, body);
  return dropped.length === 0 ? {} : { [ignoredHeader]: dropped.join(", ") };
}

function keptOf(model: Model, body: MessageBody): Kept {
  const dropped: Ignorable[] = [];
  let kept = body;
  if (ignoresThinking(model, body.thinking?.["type"])) {
    const { thinking: _dropped, ...rest } = kept;
    kept = rest;
    dropped.push("thinking");
  }
  const withEffort = kept;
  const config = withoutEffort(model, kept.output_config);
  if (config !== kept.output_config) {
    const { output_config: _dropped, ...rest } = kept;
    kept = config === undefined ? rest : { ...rest, output_config: config };
  }
  if (kept.messages.some((turn) => setsIgnored(model, turn)))
    kept = { ...kept, messages: withoutEfforts(model, kept.messages) };
  if (kept !== withEffort) dropped.push("effort");
  return { body: kept, dropped };
}

export const ignoresThinking = ({ ignores, thinking }: Model, type: unknown): boolean =>
  typeof type === "string" &&
  ignores.includes("thinking") &&
  !thinking.some((known) => known === type);

export const ignoresEffort = ({ ignores, efforts }: Model, effort: unknown): boolean =>
  typeof effort === "string" &&
  ignores.includes("effort") &&
  !efforts.some((level) => level === effort);

/** Undefined where nothing else is in it. */
function withoutEffort(
  model: Model,
  config: MessageBody["output_config"],
): MessageBody["output_config"] {
  if (!ignoresEffort(model, config?.["effort"])) return config;
  const { effort: _dropped, ...rest } = config ?? {};
  return Object.keys(rest).length === 0 ? undefined : rest;
}

type Configured = Turn & { output_config?: MessageBody["output_config"] };

const setsIgnored = (model: Model, turn: Turn) =>
  turn.role === "system" && ignoresEffort(model, (turn as Configured).output_config?.["effort"]);

/** A system turn that only set an effort is left out whole. */
function withoutEfforts(model: Model, turns: readonly Turn[]): readonly Turn[] {
  return turns.flatMap((turn) => {
    if (!setsIgnored(model, turn)) return [turn];
    const { output_config: config, ...rest } = turn as Configured;
    const kept = withoutEffort(model, config);
    if (kept !== undefined) return [{ ...rest, output_config: kept }];
    return isEmpty(turn.content) ? [] : [rest];
  });
}

const isEmpty = (content: string | readonly Block[] | undefined) =>
  content === undefined || content.length === 0;
