// The secret, once. The step is left only after it was copied, or after a person says that it is kept.
import { useState } from "react";
import type { CreatedKey } from "../server/api.ts";
import { useServerUrl } from "../server/queries.ts";
import { testKey } from "../value/snippets.ts";
import { Button } from "../page/button.tsx";
import { DialogActions } from "./dialog.tsx";
import { SecretBox } from "./secret-box.tsx";
import { Code } from "../value/snippet.tsx";

export function SecretStep({ created, onDone }: { created: CreatedKey; onDone: () => void }) {
  const { name, kind, secret } = created;
  const url = useServerUrl();
  const [copied, setCopied] = useState(false);
  const [kept, setKept] = useState(false);
  const shortened = `${secret.slice(0, 18)}…${secret.slice(-4)}`;
  return (
    <div className="grid gap-4">
      <p>
        Copy it now and keep it where secrets are kept. Plinth stores only its fingerprint:{" "}
        <strong className="font-semibold">nobody can show it again.</strong>
      </p>
      <SecretBox
        label={`Secret of ${name}`}
        text={secret}
        copyLabel="Copy secret"
        onCopied={() => setCopied(true)}
      />
      <div>
        <h3 className="mb-1.5 font-medium">Test this key</h3>
        <Code
          code={testKey(url, kind, secret)}
          shown={testKey(url, kind, shortened)}
          label="Command that tests the key"
        />
        <p className="mt-1 text-sm text-soft">
          200: the key works. 401: it does not. What is copied has the whole secret in it.
        </p>
      </div>
      <label className="flex cursor-pointer items-center gap-2.5">
        <input
          type="checkbox"
          checked={kept}
          onChange={(event) => setKept(event.target.checked)}
          className="accent-accent"
        />
        I have stored this secret
      </label>
      <DialogActions>
        <Button
          look={copied || kept ? "primary" : "plain"}
          disabled={!copied && !kept}
          onClick={onDone}
        >
          Done
        </Button>
      </DialogActions>
    </div>
  );
}
