// A new batch from a file: chosen or dropped, looked through before anything is sent, then sent.
import { useNavigate } from "@tanstack/react-router";
import { Upload } from "lucide-react";
import { useCallback, useEffect, useId } from "react";
import { FileDrop } from "../../kit/form/file-drop.tsx";
import { useBatchDraft, type Draft, type Drafting } from "./batch-draft.ts";
import { exampleLines } from "../batch-snippets.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { forgetBatches } from "../batch-queries.ts";
import { plural } from "../../../client/text/words.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { Bar } from "../../kit/value/bar.tsx";
import { BatchReport } from "./batch-report.tsx";
import { Button } from "../../kit/page/button.tsx";
import { Leaving } from "../../kit/dialog/leaving.tsx";
import { BackLink } from "../../kit/page/detail-page.tsx";
import { Card, PageHeader, Section } from "../../kit/page/page-header.tsx";
import { Code } from "../../kit/value/snippet.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

export function Page() {
  const workspace = useWorkspace();
  const drafting = useBatchDraft();
  const { draft, choose } = drafting;
  useSent(draft);
  const chooseFirst = useCallback(([file]: File[]) => file !== undefined && choose(file), [choose]);
  return (
    <>
      <BackLink to="/batches" search={workspace.search} label="All batches" />
      <PageHeader title="New batch">
        Up to 100,000 requests in up to 256 MiB. The file is looked through here; nothing is sent
        before you say so.
      </PageHeader>
      <div className="mb-6">
        <FileDrop
          label={draft.step === "none" ? "Choose a file" : "Choose another file"}
          words="Drop a JSONL or JSON file here"
          name="File of requests"
          accept=".jsonl,.json,.ndjson,.txt,application/json,application/x-ndjson"
          disabled={draft.step === "sending"}
          onFiles={chooseFirst}
        />
      </div>
      {draft.step === "none" ? <Format /> : <Chosen drafting={drafting} />}
      <Leaving
        isDirty={draft.step === "sending"}
        byPath
        title="Stop sending?"
        description="The requests are still on their way. If you leave this page now, no batch is made of them."
        label="Stop and leave"
      />
    </>
  );
}

/** Once it is sent, its own page shows what becomes of it. */
function useSent(draft: Draft): void {
  const { search } = useWorkspace();
  const navigate = useNavigate();
  const id = draft.step === "sent" ? draft.batch.id : undefined;
  useEffect(() => {
    if (id === undefined) return;
    forgetBatches();
    void navigate({ to: "/batches/$id", params: { id }, search, replace: true });
  }, [id]);
}

function Format() {
  return (
    <Section
      title="What the file holds"
      note="One request on each line, with a custom_id that tells the results apart; or the body of the API, { “requests”: [ … ] }."
    >
      <Code code={exampleLines} label="Example of a file" />
    </Section>
  );
}

function Chosen({ drafting }: { drafting: Drafting }) {
  const { draft } = drafting;
  if (draft.step === "none") return null;
  const { file } = draft;
  return (
    <Section title={file.name} note={bytesText(file.size)}>
      <div className="grid gap-6">
        {draft.step === "reading" && (
          <Advance words="Reading the file…" bytes={draft.bytes} of={file.size} />
        )}
        {draft.step === "refused" && (
          <p role="alert" className="rounded-lg bg-bad-soft p-3 text-bad">
            {draft.sentence}
          </p>
        )}
        {(draft.step === "read" || draft.step === "sending") && (
          <>
            <Send drafting={drafting} draft={draft} />
            <BatchReport report={draft.report} />
          </>
        )}
      </div>
    </Section>
  );
}

type Ready = Extract<Draft, { step: "read" | "sending" }>;

function Send({ drafting, draft }: { drafting: Drafting; draft: Ready }) {
  const workspace = useWorkspace();
  const { requests, problemsInAll: problems, bodyBytes } = draft.report;
  if (draft.step === "sending")
    return (
      <Card className="grid gap-3">
        <Advance words={sendingWords(draft.bytes, bodyBytes)} bytes={draft.bytes} of={bodyBytes} />
        <div>
          <Button onClick={drafting.stop}>Stop sending</Button>
        </div>
      </Card>
    );
  return (
    <div className="grid gap-3">
      {draft.error !== undefined && <SendTrouble error={draft.error} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          look="primary"
          disabled={problems > 0}
          onClick={() => void drafting.send(workspace.id)}
        >
          <Upload size={16} aria-hidden />
          Submit {plural(requests, "request")}
        </Button>
        <Button onClick={drafting.clear}>Clear</Button>
        {problems > 0 && <span className="text-bad">Mend the file, and choose it again.</span>}
      </div>
    </div>
  );
}

/** Whether a batch was made is not known when the answer did not come. */
function SendTrouble({ error }: { error: unknown }) {
  return (
    <div className="grid gap-2">
      <TroubleBox error={error} />
      {error instanceof TypeError && (
        <p className="text-sm text-soft">
          If all was sent, the batch may be there all the same: look in the list before you send it
          again.
        </p>
      )}
    </div>
  );
}

/** What is done before the first byte is gone, and after the last one, takes its time too. */
function sendingWords(bytes: number, of: number): string {
  if (bytes === 0) return "Getting ready to send…";
  return bytes < of ? "Sending the requests…" : "All sent; the server takes them in…";
}

function Advance({ words, bytes, of }: { words: string; bytes: number; of: number }) {
  const id = useId();
  const share = of === 0 ? 1 : Math.min(1, bytes / of);
  return (
    <div
      role="progressbar"
      aria-labelledby={id}
      aria-valuenow={Math.round(share * 100)}
      className="grid gap-1.5"
    >
      <p>
        <span id={id}>{words}</span>{" "}
        <span className="text-soft">
          {bytesText(Math.min(bytes, of))} of {bytesText(of)}
        </span>
      </p>
      <Bar share={share} />
    </div>
  );
}
