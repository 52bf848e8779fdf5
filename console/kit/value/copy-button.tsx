// Copies a text and says so, to the eye and to the ear.
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, type ButtonProps } from "../page/button.tsx";
import { say } from "../page/say.ts";

const confirmedMs = 2_000;

export function CopyButton({
  text,
  label = "Copy",
  onCopied,
  ...rest
}: { text: string | (() => string); label?: string; onCopied?: () => void } & ButtonProps) {
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
  const Icon = copied ? Check : Copy;
  return (
    <Button onClick={() => void copy()} {...rest}>
      <Icon size={15} aria-hidden />
      <span aria-live="polite">{copied ? "Copied" : label}</span>
    </Button>
  );
}
