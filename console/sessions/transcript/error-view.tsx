// An error of a session: what went wrong, with which server or credential, and whether it is tried again.
import { Link } from "@tanstack/react-router";
import { CircleAlert } from "lucide-react";
import type { SessionEvent } from "../../kit/server/api.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { ServerName } from "../../mcp-servers/known-servers.tsx";
import { errorTitle, subjectOf, type SessionError } from "../events/error-words.ts";
import type { Scene } from "./transcript.tsx";
import { WithRequestIds } from "../../kit/server/request-id.tsx";

const retries: Record<string, string> = {
  retrying: "It is tried again.",
  exhausted: "It is not tried again.",
  terminal: "The session has ended by it.",
};

/** A session goes on without what does not answer or is not allowed. */
function retryWords(type: string, status = ""): string | undefined {
  if (status === "retrying" && type.startsWith("mcp_"))
    return "The turn goes on without its tools; the next one tries it again.";
  if (status === "retrying" && type.startsWith("credential_"))
    return "The session goes on without it.";
  return retries[status];
}

export function ErrorView({ event, scene }: { event: SessionEvent; scene: Scene }) {
  const error = (event["error"] ?? {}) as SessionError;
  const { type = "unknown_error", message, retry_status } = error;
  return (
    <div
      role="note"
      aria-label="Error"
      className="flex items-start gap-2.5 rounded-md bg-bad-soft px-4 py-2 text-bad"
    >
      <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0 wrap-anywhere">
        <p className="font-medium">
          {errorTitle(type)}
          <About error={error} scene={scene} />
        </p>
        <p>
          <WithRequestIds text={message ?? ""} /> {retryWords(type, retry_status?.type)}
        </p>
      </div>
    </div>
  );
}

const link = "underline underline-offset-2";

/** The credential, which leads to its vault, or the server. */
function About({ error, scene }: { error: SessionError; scene: Scene }) {
  const { search: home } = useWorkspace();
  const subject = subjectOf(error, scene.vaults);
  if (subject === undefined) return null;
  const { name, vault } = subject;
  const server = scene.servers.find((each) => each.name === error.mcp_server_name);
  return (
    <>
      {": "}
      {vault !== undefined ? (
        <Link to="/vaults/$id" params={{ id: vault }} search={home} className={link}>
          {name}
        </Link>
      ) : server !== undefined ? (
        <ServerName {...server} className={link} />
      ) : (
        name
      )}
    </>
  );
}
