// A secret, once. The step is left only after it was copied, or after a person says that it is kept.
import { useState, type ReactNode } from "react";
import { Button } from "../page/button.tsx";
import { DialogActions, useCloseDialog } from "./dialog.tsx";
import { CheckField } from "./field.tsx";
import { SecretBox } from "./secret-box.tsx";

export function SecretOnce({
  about,
  label,
  secret,
  kept,
  byButton = false,
  onDone,
  children,
}: {
  /** What it is, and what becomes of it. */
  about: ReactNode;
  /** For screen readers: whose it is. */
  label: string;
  secret: string;
  /** What a person says who did not copy it here: `I have stored this secret`. */
  kept: string;
  /** The button says it, there is no box to tick. */
  byButton?: boolean;
  /** In place of closing the dialog. */
  onDone?: () => void;
  /** How it is used. */
  children?: ReactNode;
}) {
  const close = useCloseDialog();
  const [isCopied, setCopied] = useState(false);
  const [isKept, setKept] = useState(false);
  return (
    <div className="grid gap-4">
      <p>{about}</p>
      <SecretBox
        label={label}
        text={secret}
        copyLabel="Copy secret"
        onCopied={() => setCopied(true)}
      />
      {children}
      {!byButton && (
        <CheckField
          label={kept}
          checked={isKept}
          onChange={({ target }) => setKept(target.checked)}
        />
      )}
      <DialogActions>
        <Button
          look={isCopied || isKept ? "primary" : "plain"}
          disabled={!isCopied && !isKept && !byButton}
          onClick={onDone ?? close}
        >
          {byButton && !isCopied ? kept : "Done"}
        </Button>
      </DialogActions>
    </div>
  );
}
