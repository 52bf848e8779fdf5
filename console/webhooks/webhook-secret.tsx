// The signing secret of a webhook endpoint, once: left after it was copied, or after a person says that it is kept.
import { useState } from "react";
import { Button } from "../kit/page/button.tsx";
import { DialogActions } from "../kit/form/dialog.tsx";
import { CheckField } from "../kit/form/field.tsx";
import { SecretBox } from "../kit/form/secret-box.tsx";
import { Code } from "../kit/value/snippet.tsx";

const receiver =
  "const event = client.beta.webhooks.unwrap(body, {\n" +
  "  headers: request.headers,\n" +
  "  key: process.env.ANTHROPIC_WEBHOOK_SIGNING_KEY,\n" +
  "});";

export function WebhookSecret({
  title,
  secret,
  onDone,
}: {
  title: string;
  secret: string;
  onDone: () => void;
}) {
  const [copied, setCopied] = useState(false);
  const [handed, setHanded] = useState(false);
  return (
    <div className="grid gap-4">
      <p>
        Hand it to the program that receives the events: with it the program knows that they come
        from here. <strong className="font-semibold">It is shown this once.</strong> A new one can
        be made at any time, and takes its place.
      </p>
      <SecretBox
        label={`Signing secret of ${title}`}
        text={secret}
        copyLabel="Copy secret"
        onCopied={() => setCopied(true)}
      />
      <div>
        <h3 className="mb-1.5 font-medium">In the receiver</h3>
        <Code code={receiver} label="Code that checks an event" />
      </div>
      <CheckField
        label="I have handed it over"
        checked={handed}
        onChange={({ target }) => setHanded(target.checked)}
      />
      <DialogActions>
        <Button
          look={copied || handed ? "primary" : "plain"}
          disabled={!copied && !handed}
          onClick={onDone}
        >
          Done
        </Button>
      </DialogActions>
    </div>
  );
}
