// Files that fell on the tree become memories: first what will be, then what came of each.
import { useEffect, useState } from "react";
import { ApiError, server, type Memory } from "../../kit/server/api.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { sentenceOf } from "../../kit/server/errors.ts";
import { useLast } from "../../kit/dialog/last.ts";
import type { Place } from "../memories/memory-editor.ts";
import { forgetStores, readMemory } from "../memory-queries.ts";
import { readTextFile, type TextFile } from "./text-files.ts";
import { plural } from "../../../client/text/words.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Button } from "../../kit/page/button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog/dialog.tsx";
import type { Dropped } from "./memory-browser.tsx";
import { Skeleton } from "../../kit/page/skeleton.tsx";
import { WithRequestIds } from "../../kit/server/request-id.tsx";

interface Props {
  place: Place;
  dropped: Dropped | undefined;
  onClose: () => void;
  onOpen: (memory: Memory) => void;
}

export function DroppedFiles({ place, dropped, onClose, onOpen }: Props) {
  const shown = useLast(dropped);
  if (shown === undefined) return null;
  const { files, folder } = shown;
  return (
    <Dialog
      open={dropped !== undefined}
      onClose={onClose}
      wide
      title={`Add ${plural(files.length, "file")}`}
      description={
        folder === "/" ? (
          "They become memories at the top of the store."
        ) : (
          <>
            They become memories in <span className="font-mono text-sm">{folder}</span>
          </>
        )
      }
    >
      <Files key={files.map(({ name }) => name).join()} {...{ place, onClose, onOpen, shown }} />
    </Dialog>
  );
}

type Fate =
  | { state: "waiting" }
  | { state: "busy" }
  | { state: "done"; memory: Memory; word: string }
  | { state: "skipped" }
  /** There is a memory at its path: somebody says what becomes of it. */
  | { state: "taken"; by: Memory }
  | { state: "failed"; sentence: string };

function useFiles({ files, folder }: Dropped, place: Place) {
  const [read, setRead] = useState<TextFile[]>();
  const [fates, setFates] = useState<Record<string, Fate>>({});
  useEffect(() => {
    let isCurrent = true;
    const readAll = async () => {
      const read = await Promise.all(files.map((file) => readTextFile(file, folder)));
      if (isCurrent) setRead(read);
    };
    void readAll();
    return () => void (isCurrent = false);
  }, [files, folder]);
  const fateOf = (path: string): Fate => fates[path] ?? { state: "waiting" };
  const settle = (path: string, fate: Fate) => setFates((before) => ({ ...before, [path]: fate }));
  const run = async (path: string, act: () => Promise<Fate>) => {
    settle(path, { state: "busy" });
    try {
      settle(path, await act());
    } catch (error) {
      settle(path, { state: "failed", sentence: sentenceOf(error) });
    }
  };
  const good = (read ?? []).filter((file) => "path" in file);
  return {
    read,
    good,
    fateOf,
    addAll: async () => {
      for (const file of good)
        if (["waiting", "failed"].includes(fateOf(file.path).state))
          await run(file.path, () => create(place, file));
      forgetStores();
    },
    replace: async (file: Good, by: Memory) => {
      await run(file.path, () => replace(place, file, by));
      forgetStores();
    },
    skip: ({ path }: Good) => settle(path, { state: "skipped" }),
  };
}

type Good = Extract<TextFile, { path: string }>;

async function create({ workspace, store }: Place, { path, text }: Good): Promise<Fate> {
  try {
    const memory = await server.memory_stores.memories.create({
      params: { memory_store_id: store },
      body: { path, content: text },
      headers: inWorkspace(workspace),
    });
    return { state: "done", memory, word: "Added" };
  } catch (error) {
    const by = error instanceof ApiError ? error.details["conflicting_memory_id"] : undefined;
    const taken = typeof by === "string" ? await readMemory(workspace, store, by) : null;
    if (taken?.path !== path) throw error;
    return taken.content === text
      ? { state: "done", memory: taken, word: "The same is there" }
      : { state: "taken", by: taken };
  }
}

async function replace({ workspace, store }: Place, { text }: Good, by: Memory): Promise<Fate> {
  const memory = await server.memory_stores.memories.update({
    params: { memory_store_id: store, memory_id: by.id },
    body: {
      content: text,
      precondition: { type: "content_sha256", content_sha256: by.content_sha256 },
    },
    headers: inWorkspace(workspace),
  });
  return { state: "done", memory, word: "Replaced" };
}

function Files({ place, shown, onClose, onOpen }: Omit<Props, "dropped"> & { shown: Dropped }) {
  const { read, good, fateOf, addAll, replace, skip } = useFiles(shown, place);
  if (read === undefined) return <Skeleton className="h-24" />;
  const states = good.map(({ path }) => fateOf(path).state);
  const open = states.filter((state) => state === "waiting" || state === "failed").length;
  const done = good.map(({ path }) => fateOf(path)).find(({ state }) => state === "done");
  return (
    <>
      <ul aria-label="Files" className="grid divide-y divide-line rounded-lg border border-line">
        {read.map((file, at) => (
          <li key={at} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
            <span className="min-w-0 flex-1 basis-52">
              <span className="block font-mono text-sm wrap-anywhere">
                {"path" in file ? file.path : file.name}
              </span>
              <span className="text-sm text-soft">
                {"path" in file ? bytesText(file.bytes) : file.refusal}
              </span>
            </span>
            {"path" in file ? (
              <FateOf
                fate={fateOf(file.path)}
                onReplace={(by) => void replace(file, by)}
                onSkip={() => skip(file)}
              />
            ) : (
              <Badge tone="bad">Refused</Badge>
            )}
          </li>
        ))}
      </ul>
      <DialogActions>
        {done?.state === "done" && (
          <Button
            onClick={() => {
              onClose();
              onOpen(done.memory);
            }}
          >
            Open {done.memory.path}
          </Button>
        )}
        <Button onClick={onClose}>{open === 0 ? "Close" : "Cancel"}</Button>
        {open > 0 && (
          <Button
            look="primary"
            autoFocus
            busy={states.includes("busy")}
            onClick={() => void addAll()}
          >
            Add {plural(open, "memory", "memories")}
          </Button>
        )}
      </DialogActions>
    </>
  );
}

function FateOf({
  fate,
  onReplace,
  onSkip,
}: {
  fate: Fate;
  onReplace: (by: Memory) => void;
  onSkip: () => void;
}) {
  if (fate.state === "waiting") return null;
  if (fate.state === "busy") return <Badge>Adding…</Badge>;
  if (fate.state === "done") return <Badge tone="good">{fate.word}</Badge>;
  if (fate.state === "skipped") return <Badge>Skipped</Badge>;
  if (fate.state === "failed")
    return (
      <span role="alert" className="w-full text-sm text-bad">
        <WithRequestIds text={fate.sentence} />
      </span>
    );
  return (
    <span role="alert" className="flex flex-wrap items-center gap-2">
      <span className="text-sm text-warn">Another text is at this path.</span>
      <Button onClick={() => onReplace(fate.by)}>Replace it</Button>
      <Button onClick={onSkip}>Keep it</Button>
    </span>
  );
}
