// The signing secret of a webhook endpoint, once.
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { SecretOnce } from "../kit/dialog/secret-once.tsx";
import { Code } from "../kit/value/snippet.tsx";
import { titleOf, type Endpoint } from "./webhooks.ts";

const receiver =
  "const event = client.beta.webhooks.unwrap(body, {\n" +
  "  headers: request.headers,\n" +
  "  key: process.env.ANTHROPIC_WEBHOOK_SIGNING_KEY,\n" +
  "});";

export function showSecret(endpoint: Endpoint, secret: string, onDone?: () => void): void {
  const title = titleOf(endpoint);
  openDialog({
    title: `The signing secret of ${title}`,
    locked: true,
    wide: true,
    body: (
      <SecretOnce
        label={`Signing secret of ${title}`}
        secret={secret}
        kept="I have handed it over"
        {...(onDone && { onDone })}
        about={
          <>
            Hand it to the program that receives the events: with it the program knows that they
            come from here. <strong className="font-semibold">It is shown this once.</strong> A new
            one can be made at any time.
          </>
        }
      >
        <div>
          <h3 className="mb-1.5 font-medium">In the receiver</h3>
          <Code code={receiver} label="Code that checks an event" />
        </div>
      </SecretOnce>
    ),
  });
}
