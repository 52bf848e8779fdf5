// A text that is shown once, to be selected or copied.
import { CopyButton } from "../value/copy-button.tsx";

interface Props {
  /** For screen readers: whose it is. */
  label: string;
  text: string;
  copyLabel: string;
  onCopied?: () => void;
}

export function SecretBox({ label, text, copyLabel, onCopied }: Props) {
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-md border border-line bg-sunken p-2">
      <output
        aria-label={label}
        className="min-w-0 flex-1 basis-56 px-1 font-mono text-sm break-all select-all"
      >
        {text}
      </output>
      <CopyButton
        text={text}
        look="primary"
        label={copyLabel}
        {...(onCopied !== undefined && { onCopied })}
        autoFocus
      />
    </div>
  );
}
