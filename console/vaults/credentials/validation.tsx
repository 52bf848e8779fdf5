// What became of a credential at its server: tried while the dialog is open.
import { useQuery } from "@tanstack/react-query";
import { sentenceOf } from "../../kit/server/errors.ts";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { Skeleton } from "../../kit/page/skeleton.tsx";
import { server, type CredentialValidation, type VaultCredential } from "../../kit/server/api.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { askedOf, purposeOf, renewVaults, titleOf, type Workspace } from "../vaults.ts";
import { WithRequestIds } from "../../kit/server/request-id.tsx";

export const testCredential = (credential: VaultCredential, workspace: Workspace): void =>
  openDialog({
    title: `Test of ${titleOf(credential)}`,
    wide: true,
    body: <Tested credential={credential} workspace={workspace} />,
  });

const verdicts = {
  valid: { word: "Valid", tone: "good", text: "The server took the token." },
  invalid: { word: "Invalid", tone: "bad", text: "The server refused the token." },
  unknown: {
    word: "Unknown",
    tone: "neutral",
    text: "Whether the token is good cannot be told: the server did not answer as an MCP server does.",
  },
} as const;

const refreshes = {
  succeeded: "The token was renewed first.",
  failed: "The token could not be renewed: the authorization server refused.",
  connect_error: "The token could not be renewed: the authorization server cannot be reached.",
  no_refresh_token: "There is no refresh token, so that the token is not renewed.",
} as const;

function Tested({ credential, workspace }: { credential: VaultCredential; workspace: Workspace }) {
  const { data, error } = useQuery({
    queryKey: ["vaults", workspace, credential.id, "validation"],
    queryFn: async () => {
      const found = await server.vaults.credentials.mcp_oauth_validate(
        askedOf(credential, workspace),
      );
      // A token that was renewed has another end.
      if (found.refresh?.status === "succeeded") void renewVaults();
      return found;
    },
    // Each time that it is asked for, and then not again.
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
  return (
    <div className="grid gap-3" aria-live="polite">
      <p className="font-mono text-sm text-soft wrap-anywhere">{purposeOf(credential.auth)}</p>
      {error !== null && (
        <p role="alert" className="text-bad">
          <WithRequestIds text={sentenceOf(error)} />
        </p>
      )}
      {data === undefined && error === null && <Skeleton className="h-16" />}
      {data !== undefined && <Outcome found={data} />}
    </div>
  );
}

function Outcome({ found }: { found: CredentialValidation }) {
  const { word, tone, text } = verdicts[found.status];
  return (
    <>
      <p>
        <Badge tone={tone}>{word}</Badge> {text}
      </p>
      {found.refresh !== null && <p>{refreshes[found.refresh.status]}</p>}
      <Answered from="The authorization server" response={found.refresh?.http_response} />
      <Answered from="The MCP server" response={found.mcp_probe?.http_response} />
    </>
  );
}

type Response = NonNullable<CredentialValidation["refresh"]>["http_response"];

function Answered({ from, response }: { from: string; response: Response | undefined }) {
  if (response == null) return null;
  return (
    <section className="grid gap-1">
      <h3 className="text-sm text-soft">
        {from} answered {response.status_code} {response.content_type}
      </h3>
      {response.body !== "" && (
        <pre className="max-h-48 overflow-auto rounded-md border border-line p-2 font-mono text-sm wrap-anywhere whitespace-pre-wrap">
          {response.body}
          {response.body_truncated && " …"}
        </pre>
      )}
    </section>
  );
}
