// A choice of one from a list that opens: in a form with its label, in a bar of filters without.
import { Select } from "@base-ui/react/select";
import { Check, ChevronDown } from "lucide-react";
import { useId, type ComponentProps } from "react";
import { box, described, Frame, type Choice, type Wording } from "./field.tsx";

export interface SelectChoice<T extends string> extends Choice<T> {
  disabled?: boolean;
}

interface Chosen<T extends string> {
  label: string;
  value: T;
  choices: readonly SelectChoice<T>[];
  onChange: (value: T) => void;
  disabled?: boolean;
}

export function SelectField<T extends string>({
  label,
  hint,
  error,
  required = false,
  ...chosen
}: Wording & Chosen<T> & { required?: boolean }) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      {/* What the browser says of an empty one stands where this is. */}
      <div className="relative">
        <List {...chosen} required={required} name={id}>
          <Trigger id={id} {...described(id, { label, hint, error })} />
        </List>
      </div>
    </Frame>
  );
}

/** For bars of filters: the label is read aloud, not shown. */
export const FilterSelect = <T extends string>({ label, ...chosen }: Chosen<T>) => (
  <List {...chosen}>
    <Trigger
      aria-label={label}
      className="max-md:flex-1 max-md:basis-[45%] md:w-auto md:min-h-8 md:max-w-64 md:min-w-32"
    />
  </List>
);

const Trigger = ({ className = "", ...rest }: Omit<ComponentProps<"button">, "value" | "ref">) => (
  <Select.Trigger
    className={`${box} flex items-center justify-between gap-2 text-left disabled:opacity-55 data-popup-open:bg-hover ${className}`}
    {...rest}
  >
    <Select.Value className="min-w-0 truncate" />
    <ChevronDown size={15} aria-hidden className="shrink-0 text-soft" />
  </Select.Trigger>
);

function List<T extends string>({
  choices,
  onChange,
  children,
  ...rest
}: Pick<ComponentProps<typeof Select.Root<T>>, "required" | "name" | "children"> &
  Omit<Chosen<T>, "label">) {
  return (
    <Select.Root
      items={choices}
      onValueChange={(value) => {
        if (value !== null) onChange(value);
      }}
      {...rest}
    >
      {children}
      <Select.Portal>
        {/* A press beside the list closes the list, and not the dialog that it stands in. */}
        <Select.Backdrop className="fixed inset-0 z-60 data-closed:pointer-events-none" />
        <Select.Positioner
          align="start"
          sideOffset={4}
          alignItemWithTrigger={false}
          className="z-60"
        >
          <Select.Popup className="fade max-h-[min(22rem,var(--available-height))] max-w-[min(28rem,var(--available-width))] min-w-(--anchor-width) overflow-y-auto rounded-lg border border-line bg-surface p-1 text-ink shadow-lift outline-none">
            {choices.map((choice) => (
              <Item key={choice.value} {...choice} />
            ))}
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

const Item = ({ value, label, hint, disabled = false }: SelectChoice<string>) => (
  <Select.Item
    value={value}
    label={label}
    disabled={disabled}
    data-value={value}
    className="flex cursor-pointer items-start gap-2 rounded-md py-1.5 pr-3 pl-2 outline-none data-disabled:cursor-default data-disabled:text-soft data-highlighted:bg-hover max-md:py-2.5"
  >
    <span className="grid h-[1lh] w-4 shrink-0 items-center">
      <Select.ItemIndicator>
        <Check size={16} aria-hidden />
      </Select.ItemIndicator>
    </span>
    <span className="min-w-0 wrap-anywhere">
      <Select.ItemText>{label}</Select.ItemText>
      {hint !== undefined && <span className="block text-sm text-soft">{hint}</span>}
    </span>
  </Select.Item>
);
