// Copies a text and says so, to the eye and to the ear.
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, type ButtonProps } from "../page/button.tsx";
import { say } from "../page/say.ts";

const confirmedMs = 2_000;

function useCopy(text: string | (() => string), onCopied?: () => void) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), confirmedMs);
    return () => clearTimeout(timer);
  }, [copied]);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      setCopied(true);
      onCopied?.();
    } catch {
      say.bad("This browser does not let the page copy. Select the text and copy it yourself.");
    }
  }
  return { copied, copy: () => void copy(), Icon: copied ? Check : Copy };
}

export function CopyButton({
  text,
  label = "Copy",
  onCopied,
  ...rest
}: { text: string | (() => string); label?: string; onCopied?: () => void } & ButtonProps) {
  const { copied, copy, Icon } = useCopy(text, onCopied);
  return (
    <Button onClick={copy} {...rest}>
      <Icon size={15} aria-hidden />
      <span aria-live="polite">{copied ? "Copied" : label}</span>
    </Button>
  );
}

/** Beside a name in a `group/name`: seen while the pointer or the focus is there. A phone has no room for it. */
export function CopyIcon({ text, label }: { text: string; label: string }) {
  const { copied, copy, Icon } = useCopy(text);
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={copied ? "Copied" : label}
      className="shrink-0 rounded p-1 text-soft opacity-0 group-hover/name:opacity-100 hover:text-ink focus-visible:opacity-100 max-md:hidden"
    >
      <Icon size={13} aria-hidden />
    </button>
  );
}
