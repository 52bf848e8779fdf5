// Buttons, and links that look like them.
import type { ButtonHTMLAttributes, Ref } from "react";

export type ButtonLook = "primary" | "plain" | "quiet" | "danger";

const base =
  "inline-flex items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap " +
  "transition-colors disabled:opacity-55 disabled:pointer-events-none max-md:min-h-10";
const looks: Record<ButtonLook, string> = {
  primary: "border-transparent bg-accent text-accent-ink hover:bg-accent-hover",
  plain: "border-line-strong bg-surface text-ink hover:bg-hover",
  quiet: "border-transparent text-soft hover:bg-hover hover:text-ink",
  danger: "border-transparent bg-bad-fill text-bad-ink hover:opacity-90",
};
const sizes = { medium: "min-h-8 px-3 py-1", icon: "size-8 max-md:size-10" };

export const buttonClass = (look: ButtonLook = "plain", size: keyof typeof sizes = "medium") =>
  `${base} ${looks[look]} ${sizes[size]}`;

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook;
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ look, busy = false, className = "", disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`${buttonClass(look)} ${className}`}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      {...rest}
    />
  );
}

/** A button that is only a picture; its label is read aloud and shown on hover. */
export function IconButton({ label, className = "", ...rest }: ButtonProps & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`${buttonClass("quiet", "icon")} ${className}`}
      {...rest}
    />
  );
}
