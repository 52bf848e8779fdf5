// Form fields: label, hint, input, and the error at the place where it is mended.
import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type TextareaHTMLAttributes,
} from "react";
import { useTyping } from "./typed.ts";

export const box =
  "w-full rounded-md border border-line-strong bg-surface px-2.5 min-h-9 max-md:min-h-10 text-ink " +
  "aria-invalid:border-bad";

export interface Wording {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
}

export function Frame({
  id,
  label,
  hint,
  error,
  children,
}: Wording & { id: string; children: ReactNode }) {
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-soft">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

export const described = (id: string, { hint, error }: Wording) => ({
  "aria-invalid": error === undefined ? undefined : true,
  "aria-describedby":
    [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
      .filter(Boolean)
      .join(" ") || undefined,
});

export function TextField({
  label,
  hint,
  error,
  className = "",
  ...rest
}: Wording & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input
        id={id}
        className={`${box} ${className}`}
        {...described(id, { label, hint, error })}
        {...rest}
      />
    </Frame>
  );
}

/** Text of several lines; it grows with what is typed into it. */
export function AreaField({
  label,
  hint,
  error,
  className = "",
  ...rest
}: Wording & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea
        id={id}
        className={`${box} field-sizing-content max-h-[60dvh] py-1.5 ${className}`}
        {...described(id, { label, hint, error })}
        {...rest}
      />
    </Frame>
  );
}

export function CheckField({
  label,
  hint,
  ...rest
}: { label: string; hint?: string } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="flex cursor-pointer items-baseline gap-2.5 py-0.5">
      <input type="checkbox" className="accent-accent" {...rest} />
      <span>
        {label}
        {hint !== undefined && <span className="block text-sm text-soft">{hint}</span>}
      </span>
    </label>
  );
}

/** A day of a span: its label is shown, because an empty one tells nothing. */
export function FilterDay({
  label,
  ...rest
}: { label: string } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="flex items-center gap-2 text-sm text-soft max-md:flex-1 max-md:basis-full">
      <span className="max-md:w-12 max-md:shrink-0">{label}</span>
      <input
        type="date"
        title={`${label}, a day in UTC`}
        className={`${box} md:w-auto md:min-h-8`}
        {...rest}
      />
    </label>
  );
}

interface SearchProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "value"> {
  label: string;
  value: string;
}

export function SearchInput({ label, value, onChange, ...rest }: SearchProps) {
  const [typed, type] = useTyping(value);
  return (
    <input
      type="search"
      data-search
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      spellCheck={false}
      className={`${box} md:min-h-8 md:max-w-72`}
      {...rest}
      value={typed}
      onChange={(event) => {
        type(event.target.value);
        onChange?.(event);
      }}
    />
  );
}

export interface Choice<T extends string> {
  value: T;
  label: string;
  hint?: string;
}

/** A few exclusive choices with a sentence each. */
export function RadioCards<T extends string>({
  legend,
  name,
  value,
  choices,
  onChange,
}: {
  legend: string;
  name: string;
  value: T;
  choices: Choice<T>[];
  onChange: (value: T) => void;
}) {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 font-medium">{legend}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {choices.map((choice) => (
          <label
            key={choice.value}
            className="flex cursor-pointer gap-2.5 rounded-md border border-line-strong p-3 has-checked:border-accent has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={value === choice.value}
              onChange={() => onChange(choice.value)}
              className="mt-1 accent-accent"
            />
            <span>
              <span className="block font-medium">{choice.label}</span>
              <span className="block text-sm text-soft">{choice.hint}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
