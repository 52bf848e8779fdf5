// Every place in the database where encrypted values lie: what is not on this list is not resealed.
import { identifier, sql, type Statement } from "../../kernel/sql/statement.ts";
import { deploymentTokensContext } from "../deployments/module.ts";
import { connectionSecretContext } from "../mcp_servers/module.ts";
import { mailJobKind, mailLinkContext } from "../members/module.ts";
import { turnContext } from "../messages/module.ts";
import { upstreamContext } from "../models/module.ts";
import { keyCheck } from "../operations/module.ts";
import { bodyContext } from "../request_bodies/module.ts";
import { questionStateContext, repositoryTokenContext } from "../sessions/module.ts";
import { connectionContext } from "../single_sign_on/module.ts";
import { credentialSecretContext } from "../vaults/module.ts";
import { signingSecretContext } from "../webhooks/module.ts";

export interface SealedColumn {
  /** As the schema calls it. */
  table: string;
  column: string;
  /** A text that tells the rows apart, in words of `row`. */
  key: Statement;
  /** The encrypted value; null where the row has none. */
  value: Statement;
  /** What the encryption is bound to beside the key. */
  owner?: Statement;
  /** In place of the column as a whole, as `column = …`. */
  set?: (next: string) => Statement;
  context: (key: string, owner: string) => string;
  /** What is read at a time. */
  rows: number;
}

const ofRow = (
  table: string,
  column: string,
  context: SealedColumn["context"],
  more: Partial<SealedColumn> = {},
): SealedColumn => ({
  table,
  column,
  key: sql`row.id`,
  value: sql`row.${identifier(column)}`,
  context,
  rows: 100,
  ...more,
});

export const sealedColumns: readonly SealedColumn[] = [
  ofRow("upstreams", "key_sealed", upstreamContext, { key: sql`row.name` }),
  ofRow("sign_on_connections", "client_secret", connectionContext, {
    key: sql`row.organization_id`,
  }),
  ofRow("webhook_endpoints", "signing_secret", signingSecretContext),
  ofRow("webhook_endpoints", "replaced_secret", signingSecretContext),
  ofRow("session_resources", "secret", repositoryTokenContext),
  ofRow("session_question_states", "request_state", questionStateContext, {
    key: sql`row.call_id`,
  }),
  ofRow("deployments", "tokens", deploymentTokensContext),
  ofRow("vault_credentials", "secret", credentialSecretContext),
  ofRow("mcp_connections", "sealed", connectionSecretContext),
  // A turn may have 32 MiB.
  ofRow(
    "message_thread_turns",
    "content",
    (key, owner) => turnContext({ workspaceId: owner }, key),
    {
      key: sql`row.message_id`,
      owner: sql`(select thread.workspace_id from message_threads as thread where thread.id = row.thread_id)`,
      rows: 2,
    },
  ),
  ofRow("request_bodies", "sealed", (key, owner) => bodyContext(owner, key), {
    key: sql`row.request_id`,
    owner: sql`row.organization_id`,
    rows: 20,
  }),
  ofRow("jobs", "payload", (_key, owner) => mailLinkContext(owner), {
    value: sql`case when row.kind = ${mailJobKind} then row.payload ->> 'link' end`,
    owner: sql`row.payload ->> 'invite_id'`,
    set: (next) =>
      sql`payload = jsonb_set(row.payload::jsonb, '{link}', to_jsonb(${next}::text))::json`,
  }),
  ofRow("installation", "key_check", () => keyCheck, { key: sql`row.store_id` }),
];
