// Routes of files.
import { multipart } from "../../kernel/http/input/multipart.ts";
import { route } from "../../kernel/http/route.ts";
import { downloadFile, showContent } from "./bytes/content.ts";
import { limits } from "./limits.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const permission = "files:use";

export const routes = [
  route({
    operation: "files.upload",
    method: "POST",
    path: "/v1/files",
    summary: "Takes in a file of up to 500 MB, which messages may then name.",
    permission,
    body: multipart({
      fileBytesMax: limits.fileBytesMax,
      filesMax: 1,
      fieldBytesMax: limits.fieldBytesMax,
      fields: ["file", "expires_in_seconds"],
      files: ["file"],
      filenames: "last",
    }),
    bodyBytesMax: limits.formBytesMax,
    reply: schema.FileMetadata,
    handle: (context, { body }) => service.uploadFile(context, body),
  }),
  route({
    operation: "files.list",
    method: "GET",
    path: "/v1/files",
    summary: "Lists the workspace's files, newest first.",
    permission,
    query: schema.FileQuery,
    reply: schema.FilePage,
    handle: (context, { query }) => service.listFiles(context, query),
  }),
  route({
    operation: "files.retrieve_metadata",
    method: "GET",
    path: "/v1/files/{file_id}",
    summary: "What is known of a file.",
    permission,
    params: schema.FileParams,
    reply: schema.FileMetadata,
    handle: (context, { params }) => service.retrieveFile(context, params.file_id),
  }),
  route({
    operation: "files.download",
    method: "GET",
    path: "/v1/files/{file_id}/content",
    summary: "The bytes of a file that a tool made.",
    permission,
    params: schema.FileParams,
    reply: "bytes",
    handle: (context, { params }) => downloadFile(context, params.file_id),
  }),
  route({
    operation: "files.delete",
    method: "DELETE",
    path: "/v1/files/{file_id}",
    summary: "Deletes a file with its bytes.",
    permission,
    params: schema.FileParams,
    reply: schema.DeletedFile,
    handle: (context, { params }) => service.deleteFile(context, params.file_id),
  }),
  route({
    operation: "console.files.content",
    method: "GET",
    path: "/console/api/files/{file_id}/content",
    summary: "The bytes of a file, also of one that was uploaded.",
    permission,
    credentials: ["console"],
    params: schema.FileParams,
    reply: "bytes",
    handle: (context, { params }) => showContent(context, params.file_id),
  }),
];
