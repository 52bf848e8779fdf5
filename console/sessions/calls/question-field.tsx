// One field of a form that an MCP server has a person fill in.
import type { AskedField, FieldValue } from "../../../client/sessions/questions.ts";
import { CheckField, TextField } from "../../kit/form/field.tsx";
import { SelectField } from "../../kit/form/select.tsx";

export function QuestionField({
  field: { kind, label, description, isRequired, choices },
  value,
  fault,
  onChange,
}: {
  field: AskedField;
  value: FieldValue;
  fault: string | undefined;
  onChange: (value: FieldValue) => void;
}) {
  const wording = {
    label: isRequired ? label : `${label} (optional)`,
    ...(description !== "" && { hint: description }),
    error: fault,
  };
  switch (kind) {
    case "boolean":
      return (
        <CheckField
          label={label}
          {...(description !== "" && { hint: description })}
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
      );
    case "one":
      return (
        <SelectField
          {...wording}
          value={String(value)}
          choices={isRequired ? choices : [{ value: "", label: "No answer" }, ...choices]}
          onChange={onChange}
        />
      );
    case "several":
      return (
        <Several
          {...wording}
          choices={choices}
          chosen={Array.isArray(value) ? value : []}
          onChange={onChange}
        />
      );
    default:
      return (
        <TextField
          {...wording}
          type={types[kind]}
          {...(kind === "number" && { inputMode: "decimal", className: "md:max-w-48" })}
          {...(kind === "datetime" && { placeholder: "2026-12-31T18:00:00Z" })}
          required={isRequired}
          autoComplete="off"
          value={String(value)}
          onChange={({ target }) => onChange(target.value)}
        />
      );
  }
}

/** A moment with its zone is typed: what browsers have for it knows none. */
const types = {
  text: "text",
  email: "email",
  url: "url",
  date: "date",
  datetime: "text",
  number: "text",
} as const;

function Several({
  label,
  hint,
  error,
  choices,
  chosen,
  onChange,
}: {
  label: string;
  hint?: string;
  error: string | undefined;
  choices: AskedField["choices"];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}) {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">{label}</legend>
      {choices.map((choice) => (
        <CheckField
          key={choice.value}
          label={choice.label}
          checked={chosen.includes(choice.value)}
          onChange={({ target }) =>
            onChange(
              choices
                .map((each) => each.value)
                .filter((each) => (each === choice.value ? target.checked : chosen.includes(each))),
            )
          }
        />
      ))}
      {hint !== undefined && <p className="text-sm text-soft">{hint}</p>}
      {error !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}
