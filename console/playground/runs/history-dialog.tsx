// What was run before, and the way back to it.
import { History } from "lucide-react";
import { Dialog, DialogActions } from "../../kit/dialog/dialog.tsx";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { Button } from "../../kit/page/button.tsx";
import { Badge } from "../../kit/value/badge.tsx";
import { moneyText } from "../../kit/value/money.ts";
import { Name } from "../../kit/value/name.tsx";
import { Time } from "../../kit/value/time.tsx";
import { formatCount } from "../../../client/text/words.ts";
import type { Draft } from "../playground.ts";
import { msText, stateOf } from "./answer.tsx";
import type { PastRun } from "./history.ts";

export function HistoryDialog({
  open,
  onClose,
  runs,
  onOpen,
  onClear,
}: {
  open: boolean;
  onClose: () => void;
  runs: readonly PastRun[];
  onOpen: (draft: Draft) => void;
  onClear: () => void;
}) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="History"
      description="The last 50 requests that you ran, kept in this browser. What was attached is not."
      wide
    >
      {runs.length === 0 ? (
        <EmptyState icon={History} title="Nothing was run yet">
          Each request that you run stands here, with its answer's first words.
        </EmptyState>
      ) : (
        <ul aria-label="History" className="grid divide-y divide-line">
          {runs.map((run) => (
            <Past key={run.id} run={run} onOpen={() => onOpen(run.draft)} />
          ))}
        </ul>
      )}
      {runs.length > 0 && (
        <DialogActions>
          <Button onClick={onClear}>Clear the history</Button>
        </DialogActions>
      )}
    </Dialog>
  );
}

function Past({ run, onOpen }: { run: PastRun; onOpen: () => void }) {
  const { label, tone } = stateOf(run.state, run.stopReason);
  const asked = run.asked === "" ? "No text" : run.asked;
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1.5 py-2.5">
      <div className="min-w-0 flex-1 basis-72">
        <p className="line-clamp-2 font-medium wrap-anywhere">{asked}</p>
        {run.said !== "" && <p className="line-clamp-2 text-soft wrap-anywhere">{run.said}</p>}
        <p className="flex flex-wrap items-center gap-x-2 text-sm text-soft">
          <Time at={run.at} isShort />
          <Name id={run.model} kind="model" />
          <span>
            {formatCount(run.input)} in, {formatCount(run.output)} out
          </span>
          {run.nano !== undefined && <span>{moneyText(run.nano)} USD</span>}
          <span>{msText(run.ms)}</span>
        </p>
      </div>
      <Badge tone={tone}>{label}</Badge>
      <Button aria-label={`Open again: ${asked}`} onClick={onOpen}>
        Open
      </Button>
    </li>
  );
}
