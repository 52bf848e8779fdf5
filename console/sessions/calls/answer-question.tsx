// What an MCP server asks before it goes on with a call: forms are filled in or declined, and addresses opened.
import { ExternalLink } from "lucide-react";
import { useState, type FormEvent } from "react";
import {
  answerText,
  sentOf,
  type Asked,
  type AskedField,
  type AskedQuestion,
  type FieldValue,
  type QuestionAction,
  type QuestionAnswer,
} from "../../../client/sessions/questions.ts";
import { FilterSelect } from "../../kit/form/select.tsx";
import { Button } from "../../kit/page/button.tsx";
import { useUnsaved } from "../../kit/server/signed-out.ts";
import { QuestionField } from "./question-field.tsx";

type Filled = Record<string, Record<string, FieldValue>>;
type Faults = Record<string, Record<string, string>>;

const actions = [
  { value: "accept", label: "Accept" },
  { value: "decline", label: "Decline" },
  { value: "cancel", label: "Cancel" },
] as const;

/** One question is accepted, declined or cancelled with a button; of several, each has its own choice. */
export function AnswerQuestion({
  asked,
  isBusy,
  onSend,
}: {
  asked: Asked;
  isBusy: boolean;
  /** What is sent as the result, as a text. */
  onSend: (text: string) => void;
}) {
  const { questions, server } = asked;
  const [filled, setFilled] = useState<Filled>(() => initialOf(questions));
  const [chosen, setChosen] = useState<Record<string, QuestionAction>>({});
  const [faults, setFaults] = useState<Faults>({});
  const [isTouched, setTouched] = useState(false);
  useUnsaved(isTouched && !isBusy);
  const isOne = questions.length === 1;
  const actionOf = ({ key }: AskedQuestion) => chosen[key] ?? "accept";
  const fill = (key: string, name: string, value: FieldValue) => {
    setTouched(true);
    setFilled((all) => ({ ...all, [key]: { ...all[key], [name]: value } }));
  };
  function submit(event: FormEvent): void {
    event.preventDefault();
    send(actionOf);
  }
  function send(how: (question: AskedQuestion) => QuestionAction): void {
    const { answers, faults: found } = answersOf(questions, filled, how);
    setFaults(found);
    if (Object.keys(found).length === 0) onSend(answerText(answers));
  }
  return (
    <form onSubmit={submit} noValidate className="grid gap-4" aria-label={`Questions of ${server}`}>
      <p className="text-sm text-soft">
        These are the words of the MCP server {server}: give it no secrets that it need not have.
      </p>
      {questions.map((question) => (
        <QuestionPart
          key={question.key}
          question={question}
          action={actionOf(question)}
          onChoose={
            isOne ? undefined : (action) => setChosen((all) => ({ ...all, [question.key]: action }))
          }
          filled={filled[question.key] ?? {}}
          faults={faults[question.key] ?? {}}
          onFill={(name, value) => fill(question.key, name, value)}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={isBusy}>
          {isOne ? "Accept" : "Send the answers"}
        </Button>
        {isOne && (
          <>
            <Button disabled={isBusy} onClick={() => send(() => "decline")}>
              Decline
            </Button>
            <Button disabled={isBusy} onClick={() => send(() => "cancel")}>
              Cancel
            </Button>
          </>
        )}
      </div>
    </form>
  );
}

function QuestionPart({
  question,
  action,
  onChoose,
  filled,
  faults,
  onFill,
}: {
  question: AskedQuestion;
  action: QuestionAction;
  /** Where it is one of several. */
  onChoose: ((action: QuestionAction) => void) | undefined;
  filled: Record<string, FieldValue>;
  faults: Record<string, string>;
  onFill: (name: string, value: FieldValue) => void;
}) {
  const { key, message } = question;
  return (
    <section aria-label={message === "" ? key : message} className="grid gap-3">
      {message !== "" && <p className="font-medium whitespace-pre-wrap wrap-anywhere">{message}</p>}
      {onChoose !== undefined && (
        <div>
          <FilterSelect
            label={`Answer to ${message === "" ? key : message}`}
            value={action}
            choices={actions}
            onChange={onChoose}
          />
        </div>
      )}
      {question.mode === "url" && <Address url={question.url} host={question.host} />}
      {question.mode === "form" &&
        action === "accept" &&
        question.fields.map((field) => (
          <QuestionField
            key={field.name}
            field={field}
            value={filled[field.name] ?? ""}
            fault={faults[field.name]}
            onChange={(value) => onFill(field.name, value)}
          />
        ))}
    </section>
  );
}

/** The host stands by itself: what else is in an address may be made to look like another one. */
const Address = ({ url, host }: { url: string; host: string }) => (
  <div className="grid gap-1">
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex items-center gap-1.5 font-medium text-accent underline-offset-2 hover:underline"
    >
      <ExternalLink size={15} aria-hidden />
      Open {host}
    </a>
    <p className="font-mono text-sm text-soft wrap-anywhere">{url}</p>
    <p className="text-sm text-soft">
      What you do there is between you and {host}. Accept when you have done it.
    </p>
  </div>
);

const initialOf = (questions: readonly AskedQuestion[]): Filled =>
  Object.fromEntries(
    questions.map((question) => [
      question.key,
      Object.fromEntries(fieldsIn(question).map(({ name, initial }) => [name, initial])),
    ]),
  );

const fieldsIn = (question: AskedQuestion): AskedField[] =>
  question.mode === "form" ? question.fields : [];

function answersOf(
  questions: readonly AskedQuestion[],
  filled: Filled,
  how: (question: AskedQuestion) => QuestionAction,
) {
  const answers: Record<string, QuestionAnswer> = {};
  const faults: Faults = {};
  for (const question of questions) {
    const { key, mode } = question;
    const action = how(question);
    answers[key] = { action };
    if (action !== "accept" || mode === "url") continue;
    const content: NonNullable<QuestionAnswer["content"]> = {};
    answers[key] = { action, content };
    for (const field of fieldsIn(question)) {
      try {
        const sent = sentOf(field, filled[key]?.[field.name] ?? "");
        if (sent !== undefined) content[field.name] = sent;
      } catch (error) {
        faults[key] = { ...faults[key], [field.name]: (error as Error).message };
      }
    }
  }
  return { answers, faults };
}
