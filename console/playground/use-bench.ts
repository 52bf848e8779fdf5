// The state of the playground: what is filled in, which models are asked, what runs, and what was run.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Me, ModelInfo } from "../kit/server/api.ts";
import { useKeptState } from "../kit/server/kept.ts";
import { useMe } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { useSearchState } from "../kit/page/search.ts";
import type { Block } from "../../client/messages/message.ts";
import type { MessageRequest } from "../messages/conversation.ts";
import { priceOf } from "../models/price.ts";
import { modelQueries } from "../models/queries.ts";
import { keptAttached } from "./request/attached.ts";
import { pastRun, useHistory } from "./runs/history.ts";
import {
  emptyDraft,
  faultsOf,
  fitted,
  newTurn,
  requestOf,
  revived,
  type Draft,
  type Faults,
  type LoadedPrompt,
} from "./playground.ts";
import { takeHanded } from "../messages/handed.ts";
import { draftOf } from "./request/request-draft.ts";
import { useRun, type Run } from "./runs/run.ts";

export type Models = readonly [ModelInfo, ...ModelInfo[]];
export const some = (models: readonly ModelInfo[]): models is Models => models.length > 0;

const keptDraft = (draft: Draft): Draft => ({
  ...draft,
  turns: draft.turns.map((turn) =>
    turn.attached === undefined ? turn : { ...turn, attached: keptAttached(turn.attached) },
  ),
});
const keeping = { initial: emptyDraft, revive: revived, kept: keptDraft };

/** The address says which models are asked; where it does not, those of the last time are. */
function useModels(models: Models, draft: Draft) {
  const [search, change] = useSearchState();
  const named = (id: string | undefined) => models.find((model) => model.id === id);
  const model = named(search.model) ?? named(draft.model) ?? models[0];
  const other = named(search.beside ?? draft.beside);
  const beside = other?.id === model.id ? undefined : other;
  return { model, beside, change };
}

/** What was run before, and how a run that ended becomes a part of it. */
function useNotes(me: Me) {
  const history = useHistory(me);
  const prices = useQuery({
    ...modelQueries.entries,
    enabled: me.permissions.includes("models:write"),
    retry: false,
  });
  const entries = prices.data?.data ?? [];
  const note = (sent: Draft) => (run: Run) => {
    const { message } = run;
    const isPriced = message !== undefined && message.stop_reason !== null;
    history.add(pastRun(sent, run, isPriced ? priceOf(message, entries) : undefined));
  };
  return { entries, history, note };
}

export function useBench(models: Models) {
  const me = useMe();
  const [draft, setDraft] = useKeptState(me, "playground", keeping);
  const { model, beside, change } = useModels(models, draft);
  const { id: workspace } = useWorkspace();
  const { entries, history, note } = useNotes(me);
  const first = useRun();
  const second = useRun();
  const shown = fitted(draft, model);
  const running = [first, second].some(({ run }) => run?.state === "running");
  const faults = allFaults(draft, model, beside);
  const patch = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));

  function send(next: Draft): void {
    if (running || Object.keys(allFaults(next, model, beside)).length > 0) return;
    const asked = (one: ModelInfo) => requestOf(fitted(next, one), one);
    const sent = { ...next, model: model.id, beside: beside?.id ?? "" };
    first.start(asked(model), workspace, note(sent));
    if (beside === undefined) second.clear();
    else second.start(asked(beside), workspace, note(sent));
  }
  /** What is filled in gives way to another request; what was answered before belongs to it no more. */
  function fill(next: Draft): void {
    setDraft(next);
    first.clear();
    second.clear();
    change({ model: next.model || undefined, beside: next.beside || undefined });
  }
  useEffect(() => {
    const request = takeHanded();
    if (request !== undefined) fill(draftOf(request));
  });
  return {
    model,
    beside,
    workspace,
    draft: shown,
    faults,
    entries,
    history,
    runs: [first.run, second.run] as const,
    running,
    request: requestOf(shown, model),
    patch,
    stop: () => {
      first.stop();
      second.stop();
    },
    send: () => send(draft),
    setModel: (id: string) => {
      patch({ model: id });
      change({ model: id });
    },
    setBeside: (id: string) => {
      patch({ beside: id });
      change({ beside: id === "" ? undefined : id });
    },
    clear: () => fill({ ...emptyDraft(), model: model.id, beside: beside?.id ?? "" }),
    restore: (past: Draft) => fill(revived(past)),
    openPrompt: (request: MessageRequest, prompt: LoadedPrompt) =>
      fill({ ...draftOf(request), prompt }),
    setPrompt: (prompt: LoadedPrompt | null) => patch({ prompt }),
    /** The answer becomes a turn; what the user says to it comes after. */
    reply: (content: Block[], results?: Block[]) => {
      const answered = [...draft.turns, newTurn("assistant", "", content)];
      const next = { ...draft, turns: [...answered, newTurn("user", "", results)] };
      setDraft(next);
      if (results === undefined) requestAnimationFrame(focusLastTurn);
      else send(next);
    },
  };
}

export type Bench = ReturnType<typeof useBench>;

/** With what stands in the way of the other model alone. */
function allFaults(draft: Draft, model: ModelInfo, beside: ModelInfo | undefined): Faults {
  const others = beside === undefined ? {} : faultsOf(fitted(draft, beside), beside);
  return { ...others, ...faultsOf(fitted(draft, model), model) };
}

function focusLastTurn(): void {
  [...document.querySelectorAll<HTMLTextAreaElement>("[data-turn]")].at(-1)?.focus();
}
