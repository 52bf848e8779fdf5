// Routes by which people look into the sandboxes of sessions.
import { route } from "../../../kernel/http/route.ts";
import { ofSessions } from "../shapes.ts";
import { listMountNotes } from "./mounts/notes.ts";
import { MountNotes } from "./mounts/schema.ts";
import * as schema from "./schema.ts";
import * as files from "./workspace-files.ts";

export const routes = [
  route({
    operation: "console.sessions.files.list",
    method: "GET",
    path: "/console/api/sessions/{session_id}/files",
    summary: "The files in a directory of a session's sandbox, `/workspace` where none is named.",
    permission: ofSessions.permission,
    credentials: ["console"],
    params: schema.FilesParams,
    query: schema.DirectoryQuery,
    reply: schema.WorkspaceDirectory,
    handle: (context, { params, query }) =>
      files.listDirectory(context, params.session_id, query.path),
  }),
  route({
    operation: "console.sessions.files.content",
    method: "GET",
    path: "/console/api/sessions/{session_id}/files/content",
    summary: "The bytes of a file in a session's sandbox.",
    permission: ofSessions.permission,
    credentials: ["console"],
    params: schema.FilesParams,
    query: schema.FileQuery,
    reply: "bytes",
    handle: (context, { params, query }) =>
      files.readWorkspaceFile(context, params.session_id, query.path),
  }),
  route({
    operation: "console.sandboxes.retrieve",
    method: "GET",
    path: "/console/api/sandboxes",
    summary: "How sandboxes are made on this machine, and what they hold.",
    permission: ofSessions.permission,
    credentials: ["console"],
    reply: schema.SandboxFacts,
    handle: (context) => files.sandboxFacts(context),
  }),
  route({
    operation: "console.sessions.mount_notes",
    method: "GET",
    path: "/console/api/sessions/{session_id}/mount_notes",
    summary: "What the agent of a session was told of its mounts, newest first.",
    permission: ofSessions.permission,
    credentials: ["console"],
    params: schema.FilesParams,
    reply: MountNotes,
    handle: (context, { params }) => listMountNotes(context, params.session_id),
  }),
];
