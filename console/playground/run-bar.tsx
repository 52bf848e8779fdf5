// What is done with what is filled in: run, stopped, saved, opened again, and copied as code.
import { BookMarked, Eraser, History, Play, Save, Square } from "lucide-react";
import { useState } from "react";
import { useServerUrl } from "../kit/server/queries.ts";
import { Dialog } from "../kit/dialog/dialog.tsx";
import { Button } from "../kit/page/button.tsx";
import { useCommands } from "../kit/page/commands.ts";
import { Kbd } from "../kit/page/kbd.tsx";
import { SnippetTabs } from "../kit/value/snippet.tsx";
import { messageSnippets } from "./message-snippets.ts";
import { PromptsDialog } from "./prompts/prompts-dialog.tsx";
import { savePrompt } from "./prompts/save-prompt.tsx";
import { HistoryDialog } from "./runs/history-dialog.tsx";
import type { Bench } from "./use-bench.ts";

type Opened = "code" | "history" | "prompts" | undefined;

export function RunBar({ bench }: { bench: Bench }) {
  const [opened, setOpened] = useState<Opened>();
  const { running, draft, workspace, request } = bench;
  const ready = Object.keys(bench.faults).length === 0;
  const save = () =>
    savePrompt({ workspace, request, prompt: draft.prompt, onSaved: bench.setPrompt });
  useBarCommands({ save, open: setOpened, clear: bench.clear });
  return (
    <div className="flex flex-wrap items-center gap-2">
      {running ? (
        <Button look="danger" onClick={bench.stop}>
          <Square size={14} aria-hidden />
          Stop
        </Button>
      ) : (
        <Button look="primary" disabled={!ready} onClick={bench.send}>
          <Play size={14} aria-hidden />
          Run
        </Button>
      )}
      <span className="max-md:hidden">
        <Kbd keys={running ? "esc" : "mod+Enter"} />
      </span>
      <span className="flex-1" />
      <Button disabled={!ready} onClick={save}>
        <Save size={14} aria-hidden />
        Save
      </Button>
      <Button onClick={() => setOpened("prompts")}>
        <BookMarked size={14} aria-hidden />
        Saved prompts
      </Button>
      <Button onClick={() => setOpened("history")}>
        <History size={14} aria-hidden />
        History
      </Button>
      <Button disabled={!ready} onClick={() => setOpened("code")}>
        Copy as code
      </Button>
      <Button disabled={running} onClick={bench.clear}>
        <Eraser size={14} aria-hidden />
        Clear
      </Button>
      <Dialogs bench={bench} opened={opened} close={() => setOpened(undefined)} />
    </div>
  );
}

function Dialogs({ bench, opened, close }: { bench: Bench; opened: Opened; close: () => void }) {
  const url = useServerUrl();
  const { workspace, request } = bench;
  return (
    <>
      <Dialog
        open={opened === "code"}
        onClose={close}
        title="This request as code"
        description="The key comes from the variable PLINTH_API_KEY."
        wide
      >
        {opened === "code" && (
          <SnippetTabs snippets={messageSnippets(url, request)} label="Request" />
        )}
      </Dialog>
      <PromptsDialog
        open={opened === "prompts"}
        onClose={close}
        workspace={workspace}
        onOpen={(saved, prompt) => {
          bench.openPrompt(saved, prompt);
          close();
        }}
      />
      <HistoryDialog
        open={opened === "history"}
        onClose={close}
        runs={bench.history.runs}
        onOpen={(past) => {
          bench.restore(past);
          close();
        }}
        onClear={bench.history.clear}
      />
    </>
  );
}

function useBarCommands(acts: {
  save: () => void;
  open: (what: Opened) => void;
  clear: () => void;
}): void {
  const onPage = { group: "This page" } as const;
  useCommands([
    { ...onPage, id: "playground:save", label: "Save the prompt", run: acts.save },
    {
      ...onPage,
      id: "playground:prompts",
      label: "Saved prompts",
      run: () => acts.open("prompts"),
    },
    {
      ...onPage,
      id: "playground:history",
      label: "History of the playground",
      run: () => acts.open("history"),
    },
    { ...onPage, id: "playground:clear", label: "Clear the playground", run: acts.clear },
  ]);
}
