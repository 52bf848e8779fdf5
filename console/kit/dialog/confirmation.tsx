// A question before an act: what will happen, what went wrong, and the two ways out.
import { useState, type FormEvent, type ReactNode } from "react";
import { useProvenAct } from "../identity/proven.tsx";
import { queryClient } from "../server/queries.ts";
import { Button, type ButtonLook } from "../page/button.tsx";
import { say } from "../page/say.ts";
import { TroubleBox } from "../page/trouble-box.tsx";
import { DialogActions, useCloseDialog } from "./dialog.tsx";
import { TextField } from "../form/field.tsx";
import { openDialog } from "./open-dialog.ts";

export interface Question<Result = unknown> {
  title: string;
  /** What will happen. */
  children: ReactNode;
  /** Of the button that does it. */
  label: string;
  look?: ButtonLook;
  /** Of the button that leaves all as it is. */
  keep?: string;
  /** Whether it can be done at all, where that is not known from the start. */
  isReady?: boolean;
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

/** The body of `confirm`, for a question that reads something first. */
export function Confirmation<Result>({ question }: { question: Omit<Question<Result>, "title"> }) {
  const {
    children,
    label,
    look = "danger",
    keep = "Cancel",
    typed,
    sameAs = String,
    run,
    done,
    failed,
  } = question;
  const { renew = () => void queryClient.invalidateQueries(), next } = question;
  const close = useCloseDialog();
  const [text, setText] = useState("");
  const act = useProvenAct({
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
  const isTyped = typed === undefined || sameAs(text.trim()) === sameAs(typed.trim());
  return (
    <>
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
          <Button onClick={close}>{keep}</Button>
          <Button
            type="submit"
            look={look}
            busy={act.isPending}
            disabled={!isTyped || question.isReady === false}
          >
            {label}
          </Button>
        </DialogActions>
      </form>
      {/* Not in the form: what is proved in its dialog would be submitted here, too. */}
      {act.proof}
    </>
  );
}

/** The name of what the question is about. */
export const Named = ({ children }: { children: ReactNode }) => (
  <strong className="font-semibold wrap-anywhere">{children}</strong>
);
