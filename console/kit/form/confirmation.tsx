// A question before an act: what will happen, what went wrong, and the two ways out.
import { useState, type FormEvent, type ReactNode } from "react";
import { queryClient } from "../server/queries.ts";
import { Button, type ButtonLook } from "../page/button.tsx";
import { say } from "../page/toast.tsx";
import { TroubleBox } from "../page/trouble-box.tsx";
import { useAct } from "./act.ts";
import { DialogActions, useCloseDialog } from "./dialog.tsx";
import { TextField } from "./field.tsx";
import { openDialog } from "./open-dialog.tsx";

export interface Question<Result = unknown> {
  title: string;
  /** What will happen. */
  children: ReactNode;
  /** Of the button that does it. */
  label: string;
  look?: ButtonLook;
  /** Of the button that does nothing: `Keep it`. */
  stay?: string;
  /** Typed first, where there is no way back. */
  typed?: string;
  /** How what is typed is compared. */
  sameAs?: (typed: string) => string;
  run: () => Promise<Result>;
  /** Said in the corner once it is done; nothing where what follows says it. */
  done?: string;
  /** What is read again; everything where nothing is said. */
  renew?: (result: Result) => unknown;
  /** Once the dialog is closed. */
  next?: (result: Result) => void;
  /** What is read again where it fails: what the page shows may no longer be so. */
  failed?: () => unknown;
}

export function confirm<Result>(question: Question<Result>): void {
  openDialog({ title: question.title, body: <Confirmation question={question} /> });
}

function Confirmation<Result>({ question }: { question: Question<Result> }) {
  const { children, label, look = "danger", stay = "Cancel", typed, run, done, failed } = question;
  const { sameAs = String, renew = () => void queryClient.invalidateQueries(), next } = question;
  const close = useCloseDialog();
  const [text, setText] = useState("");
  const act = useAct({
    mutationFn: run,
    // A reply may hold a secret.
    gcTime: 0,
    onSuccess: async (result) => {
      await renew(result);
      if (done !== undefined) say.good(done);
      close();
      next?.(result);
    },
    onError: () => failed?.(),
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    act.mutate();
  }
  const isReady = typed === undefined || sameAs(text.trim()) === sameAs(typed.trim());
  return (
    <form onSubmit={submit} className="grid gap-4">
      <div className="grid gap-2">{children}</div>
      {typed !== undefined && (
        <TextField
          label={`Type ${typed} to go on`}
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      {act.error !== null && <TroubleBox error={act.error} />}
      <DialogActions>
        <Button onClick={close}>{stay}</Button>
        <Button type="submit" look={look} busy={act.isPending} disabled={!isReady}>
          {label}
        </Button>
      </DialogActions>
    </form>
  );
}

/** The name of what the question is about. */
export const Named = ({ children }: { children: ReactNode }) => (
  <strong className="font-semibold wrap-anywhere">{children}</strong>
);
