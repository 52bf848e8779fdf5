// A secret, once. The step is left only after it was copied, or after a person says that it is kept.
import { useState, type ReactNode } from "react";
import { Button } from "../page/button.tsx";
import { DialogActions, useCloseDialog } from "./dialog.tsx";
import { CheckField } from "../form/field.tsx";
import { Leaving } from "./leaving.tsx";
import { SecretBox } from "./secret-box.tsx";

export function SecretOnce({
  about,
  label,
  secret,
  copyLabel = "Copy secret",
  kept,
  onDone,
  children,
}: {
  /** What it is, and what becomes of it. */
  about: ReactNode;
  /** For screen readers: whose it is. */
  label: string;
  secret: string;
  copyLabel?: string;
  /** What a person says who did not copy it here: `I have stored this secret`. Nothing where it may be lost. */
  kept?: string | undefined;
  /** In place of closing the dialog. */
  onDone?: () => void;
  /** How it is used. */
  children?: ReactNode;
}) {
  const close = useCloseDialog();
  const [isCopied, setCopied] = useState(false);
  const [isKept, setKept] = useState(false);
  const mayLeave = kept === undefined || isCopied || isKept;
  return (
    <div className="grid gap-4">
      <p>{about}</p>
      <SecretBox
        label={label}
        text={secret}
        copyLabel={copyLabel}
        onCopied={() => setCopied(true)}
      />
      {children}
      {kept !== undefined && (
        <CheckField
          label={kept}
          checked={isKept}
          onChange={({ target }) => setKept(target.checked)}
        />
      )}
      <DialogActions>
        <Button
          look={mayLeave ? "primary" : "plain"}
          disabled={!mayLeave}
          onClick={onDone ?? close}
        >
          Done
        </Button>
      </DialogActions>
      <Leaving
        isDirty={!mayLeave}
        byPath
        title="Leave without the secret?"
        description="It is shown only now, and you have not copied it. If you leave, nobody can show it again."
        label="Leave without it"
      />
    </div>
  );
}
