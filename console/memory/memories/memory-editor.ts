// The text of a memory while somebody changes it: what it came from, what is typed, and what came in between.
import { useState } from "react";
import { say } from "../../kit/page/say.ts";
import { useAct } from "../../kit/form/act.ts";
import { ApiError, server, type Memory } from "../../kit/server/api.ts";
import { forgetStore, forgetStores, memoryQueries, readMemory } from "../memory-queries.ts";
import { asTyped, bytesOf, contentBytesMax, lineEndsOf, withLineEnds } from "../memory.ts";
import { merge } from "./merge.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";

export interface Place {
  workspace: string | undefined;
  store: string;
}

/** What is typed, and what it was typed over. */
interface Draft {
  base: Memory;
  text: string;
}

const textOf = ({ content }: Memory) => asTyped(content ?? "");

/** What is typed, in the words of the server: with the line ends that it came with. */
function factsOf(base: Memory, draft: Draft | undefined) {
  const ends = lineEndsOf(base.content ?? "");
  const typed = draft?.text ?? textOf(base);
  const isDirty = typed !== textOf(base);
  const text = isDirty ? withLineEnds(typed, ends) : (base.content ?? "");
  const bytes = bytesOf(text);
  return { ends, typed, text, bytes, isDirty, isTooLong: bytes > contentBytesMax };
}

/** `memory` is what the server had last; null where it is gone. */
export function useMemoryEditor(place: Place, memory: Memory | null, last: Memory) {
  const [draft, setDraft] = useState<Draft>();
  const [aside, setAside] = useState<string>();
  const [theirs, setTheirs] = useState<Memory>();
  const base = draft?.base ?? memory ?? last;
  const facts = factsOf(base, draft);
  const { typed, text } = facts;
  /** What was typed is held against it from now on; typed back, nothing is left to save. */
  const settle = (on: Memory, typed: string) =>
    setDraft(typed === textOf(on) ? undefined : { base: on, text: typed });
  const know = (memory: Memory | null) => {
    const { queryKey } = memoryQueries.memory(place.workspace, place.store, base.id);
    queryClient.setQueryData(queryKey, memory);
  };
  const save = useSave(place, {
    onSaved: (saved, { typed }) => {
      know(saved);
      // Whoever went on typing meanwhile goes on.
      setDraft((now) =>
        now === undefined || now.text === typed ? undefined : { base: saved, text: now.text },
      );
      setTheirs(undefined);
      say.good("Saved");
    },
    onConflict: (now) => {
      know(now);
      setTheirs(now);
    },
    onGone: () => know(null),
  });
  /** What was typed goes aside. */
  const decide = (next: Draft | undefined) => {
    setAside(typed);
    setDraft(next?.text === (next && textOf(next.base)) ? undefined : next);
    setTheirs(undefined);
  };
  const canSave = facts.isDirty && memory !== null && !facts.isTooLong && !save.isPending;
  return {
    base,
    ...facts,
    canSave,
    isSaving: save.isPending,
    error: save.error,
    /** It has changed on the server since what is typed was begun. */
    isBehind: facts.isDirty && memory !== null && memory.content_sha256 !== base.content_sha256,
    // What is typed while another text is on its way stays typed, also where it is the one before.
    type: (text: string) => (save.isPending ? setDraft({ base, text }) : settle(base, text)),
    save: () => {
      if (canSave) save.mutate({ base, text, typed });
    },
    discard: () => decide(undefined),
    aside,
    /** Two texts change places: neither is lost. */
    bringBack: () => {
      if (aside === undefined) return;
      setAside(draft === undefined ? undefined : typed);
      settle(memory ?? base, aside);
    },
    forgetAside: () => setAside(undefined),
    /** Both sides, while somebody decides between them. */
    theirs,
    compare: () => setTheirs(memory ?? undefined),
    decideLater: () => setTheirs(undefined),
    keepMine: () => theirs !== undefined && save.mutate({ base: theirs, text, typed }),
    takeTheirs: () => decide(undefined),
    mergeBoth: () => {
      if (theirs === undefined) return;
      const merged = merge(textOf(base), typed, textOf(theirs));
      decide({ base: theirs, text: merged.text });
      say.good(mergedWords(merged.clashes));
    },
  };
}

export type MemoryEditor = ReturnType<typeof useMemoryEditor>;

const mergedWords = (clashes: number) =>
  clashes === 0
    ? "Both changes are in the text now. Look it over, then save it."
    : `Both texts are in the editor. ${clashes === 1 ? "One place" : `${clashes} places`} changed on both sides: look for <<<<<<<.`;

interface Saving {
  base: Memory;
  text: string;
  typed: string;
}

function useSave(
  { workspace, store }: Place,
  told: {
    onSaved: (saved: Memory, saving: Saving) => void;
    onConflict: (theirs: Memory) => void;
    onGone: () => void;
  },
) {
  const save = useAct({
    mutationFn: async (saving: Saving) => {
      const { base, text } = saving;
      try {
        const saved = await server.memory_stores.memories.update({
          params: { memory_store_id: store, memory_id: base.id },
          body: {
            content: text,
            precondition: { type: "content_sha256", content_sha256: base.content_sha256 },
          },
          headers: inWorkspace(workspace),
        });
        return () => told.onSaved({ ...saved, content: text }, saving);
      } catch (error) {
        if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error;
        const theirs = await readMemory(workspace, store, base.id);
        if (theirs === null) return told.onGone;
        if (error.status === 404) throw error;
        return () => told.onConflict(theirs);
      }
    },
    onSuccess: (tell) => {
      tell();
      forgetStore(workspace, store);
      forgetStores();
    },
  });
  return save;
}
