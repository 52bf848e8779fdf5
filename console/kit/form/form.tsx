// A form, in a dialog or in a page: what is typed, what went wrong and at which field, and the two ways out.
import { useRef, useState, type ChangeEvent, type FormEvent, type ReactNode } from "react";
import { useProvenAct } from "../identity/proven.tsx";
import { errorWithin, fieldError } from "../server/errors.ts";
import { queryClient } from "../server/queries.ts";
import { useUnsaved } from "../server/signed-out.ts";
import { Button, type ButtonLook } from "../page/button.tsx";
import { say } from "../page/say.ts";
import { DialogActions, useCloseDialog, useDialogHold } from "../dialog/dialog.tsx";
import { FormTrouble } from "./form-trouble.tsx";
import { Leaving } from "../dialog/leaving.tsx";

/** Thrown by `save`: what it found wrong itself, in the words of the page. */
export class Fault extends Error {}

export interface FormOptions<Values extends object, Result> {
  /** What stands in the fields at first. */
  start: Values;
  /** What was typed before, where it goes on from another start. */
  typed?: Values | undefined;
  /** `changed` is what differs from the start: of what another person changed meanwhile, the rest stays theirs. */
  save: (values: Values, changed: Partial<Values>) => Promise<Result>;
  /** What is wrong in it, told before anything is sent. */
  faultOf?: (values: Values) => string | undefined;
  /** What is wrong in single fields, told there once a person has tried to send it. */
  faultsOf?: (values: Values) => { [Name in keyof Values]?: string | undefined };
  /** Said in the corner once it is saved; nothing where the next step says it. */
  done?: (result: Result) => string;
  /** What is read again; everything where nothing is said. */
  renew?: (result: Result) => unknown;
  /** Once the dialog is closed. */
  next?: (result: Result) => void;
  /** It stays open, where what follows stands in it. */
  stays?: boolean;
  /** What is read again where it fails: what the page shows may no longer be so. */
  failed?: () => unknown;
}

type TypedChange = ChangeEvent<HTMLInputElement | HTMLTextAreaElement>;

export function useForm<Values extends object, Result>(options: FormOptions<Values, Result>) {
  const { start, save, faultOf, faultsOf, done, next, failed } = options;
  const renew = options.renew ?? (() => void queryClient.invalidateQueries());
  const close = useCloseDialog();
  const { values, began, setBegan, changeTo, isDirty } = useTyped(start, options.typed);
  const [fault, setFault] = useState<string>();
  const [isTried, setTried] = useState(false);
  const isDone = useRef(false);
  const act = useProvenAct({
    mutationFn: (typed: Values) => save(typed, differenceOf(typed, began)),
    // A reply may hold a secret.
    gcTime: 0,
    onSuccess: async (result, typed) => {
      isDone.current = true;
      setBegan(typed);
      await renew(result);
      if (done !== undefined) say.good(done(result));
      if (options.stays !== true) close();
      next?.(result);
    },
    onError: () => failed?.(),
  });
  function set(patch: Partial<Values>): void {
    isDone.current = false;
    changeTo(patch);
  }
  const refusal = act.error instanceof Fault ? act.error.message : undefined;
  const told = placesOf(act.error);
  const faults = isTried ? faultsOf?.(values) : undefined;
  useUnsaved(isDirty);
  useDialogHold(act.isPending ? "busy" : isDirty ? "unsaved" : undefined);
  return {
    values,
    set,
    close,
    fault: fault ?? refusal,
    /** Asks who sits at the browser, where the server wants to know. It stands beside the form, not in it. */
    proof: act.proof,
    isPending: act.isPending,
    isDirty,
    isDone,
    /** A person has tried to send it: what is missing may be told from now on. */
    isTried,
    /** What no field says. Asked once the fields are there. */
    error: () => (refusal === undefined ? told.rest() : null),
    /** What the server says of a field that is not one of the values, or of a part with fields of its own. */
    errorAt: told.at,
    errorWithin: told.within,
    /** What a field of text needs; `path` where the server calls it otherwise. */
    field: (name: keyof Values & string, path: string = name) => {
      const error = told.at(path);
      return {
        value: values[name] as string,
        error: faults?.[name] ?? error,
        onChange: ({ target }: TypedChange) => set({ [name]: target.value } as Partial<Values>),
      };
    },
    /** What a select needs; `path` as with a field. */
    choice: <Name extends keyof Values & string>(name: Name, path: string = name) => {
      const error = told.at(path);
      return {
        value: values[name],
        error: faults?.[name] ?? error,
        onChange: (value: Values[Name]) => set({ [name]: value } as unknown as Partial<Values>),
      };
    },
    submit: (event: FormEvent): void => {
      event.preventDefault();
      const found = faultOf?.(values);
      setFault(found);
      setTried(true);
      const isFaulty = Object.values(faultsOf?.(values) ?? {}).some((each) => each !== undefined);
      if (found === undefined && !isFaulty) act.mutate(values);
    },
  };
}

/** Where the server's answer is told. Of one picture: what a field says needs no box. */
function placesOf(error: unknown) {
  let isTold = false;
  const tell = (sentence: string | undefined) => {
    isTold ||= sentence !== undefined;
    return sentence;
  };
  return {
    at: (path: string) => tell(fieldError(error, path)),
    within: (path: string) => tell(errorWithin(error, path)),
    rest: () => (isTold ? null : error),
  };
}

/** What stands in the fields, and what stood there when it was last saved. */
function useTyped<Values extends object>(start: Values, typed = start) {
  const [began, setBegan] = useState(start);
  const [values, setValues] = useState(typed);
  const changeTo = (patch: Partial<Values>) => setValues((before) => ({ ...before, ...patch }));
  const isDirty = Object.keys(differenceOf(values, began)).length > 0;
  return { values, began, setBegan, changeTo, isDirty };
}

function differenceOf<Values extends object>(now: Values, before: Values): Partial<Values> {
  const isSame = (name: string, value: unknown) =>
    JSON.stringify(value) === JSON.stringify((before as Record<string, unknown>)[name]);
  const changed = Object.entries(now).filter(([name, value]) => !isSame(name, value));
  return Object.fromEntries(changed) as Partial<Values>;
}

export type FormState<Values extends object> = ReturnType<typeof useForm<Values, unknown>>;

type FormParts = Pick<
  ReturnType<typeof useForm>,
  "submit" | "close" | "fault" | "error" | "proof" | "isPending" | "isDirty" | "isDone"
>;

export function Form({
  form,
  label,
  look = "primary",
  isReady = form.isDirty,
  aside,
  inPage = false,
  children,
}: {
  form: FormParts;
  /** Of the button that saves. */
  label: ReactNode;
  look?: ButtonLook;
  /** Whether it may be sent; where nothing is said, as soon as something is changed. */
  isReady?: boolean;
  /** Another way, apart from the two. */
  aside?: ReactNode;
  /** It stands in a page, not in a dialog: there is nothing to cancel. Where it is long, its button stays in sight. */
  inPage?: boolean | "long";
  children: ReactNode;
}) {
  const save = (
    <Button type="submit" look={look} busy={form.isPending} disabled={!isReady}>
      {label}
    </Button>
  );
  return (
    <>
      {/* What is wrong is told at its field, in words of the page, not in a browser's bubble. */}
      <form noValidate onSubmit={form.submit} className="grid gap-4">
        {children}
        {inPage === "long" ? (
          <div className="sticky bottom-0 z-10 grid gap-3 bg-ground py-3">
            <Trouble form={form} />
            <div>{save}</div>
          </div>
        ) : (
          <Trouble form={form} />
        )}
        {inPage === true && <div>{save}</div>}
        {inPage === false && (
          <DialogActions>
            {aside !== undefined && <span className="mr-auto">{aside}</span>}
            <Button onClick={form.close} disabled={form.isPending}>
              Cancel
            </Button>
            {save}
          </DialogActions>
        )}
      </form>
      {form.proof}
      <Leaving isDirty={form.isDirty || form.isPending} isDone={form.isDone} byPath />
    </>
  );
}

/** After the fields, so that those in parts of the form have been asked for, too. */
const Trouble = ({ form: { fault, error } }: { form: FormParts }) => (
  <FormTrouble fault={fault} error={error()} />
);
