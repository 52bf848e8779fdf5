// Routes of prompts: for people in the console alone.
import { route } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const ofPrompts = { permission: "messages:use", credentials: ["console"] } as const;
const prompt = "/console/api/prompts/{prompt_id}";
const { bodyBytesMax } = limits;

export const routes = [
  route({
    operation: "console.prompts.create",
    method: "POST",
    path: "/console/api/prompts",
    summary: "Saves a message request under a name, for all of the workspace.",
    ...ofPrompts,
    body: schema.CreatePrompt,
    bodyBytesMax,
    errors: [409],
    reply: schema.PromptVersion,
    handle: (context, { body }) => service.createPrompt(context, body),
  }),
  route({
    operation: "console.prompts.list",
    method: "GET",
    path: "/console/api/prompts",
    summary: "Lists the workspace's prompts, newest first.",
    ...ofPrompts,
    query: schema.PromptQuery,
    reply: schema.PromptPage,
    handle: (context, { query }) => service.listPrompts(context, query),
  }),
  route({
    operation: "console.prompts.rename",
    method: "POST",
    path: prompt,
    summary: "Renames a prompt.",
    ...ofPrompts,
    params: schema.PromptParams,
    body: schema.RenamePrompt,
    errors: [409],
    reply: schema.Prompt,
    handle: (context, { params, body }) => service.renamePrompt(context, params.prompt_id, body),
  }),
  route({
    operation: "console.prompts.delete",
    method: "DELETE",
    path: prompt,
    summary: "Deletes a prompt with all of its versions.",
    ...ofPrompts,
    params: schema.PromptParams,
    reply: schema.DeletedPrompt,
    handle: (context, { params }) => service.deletePrompt(context, params.prompt_id),
  }),
  route({
    operation: "console.prompts.versions.create",
    method: "POST",
    path: `${prompt}/versions`,
    summary: "Saves the next version of a prompt.",
    ...ofPrompts,
    params: schema.PromptParams,
    body: schema.CreateVersion,
    bodyBytesMax,
    reply: schema.PromptVersion,
    handle: (context, { params, body }) => service.addVersion(context, params.prompt_id, body),
  }),
  route({
    operation: "console.prompts.versions.list",
    method: "GET",
    path: `${prompt}/versions`,
    summary: "Lists the versions of a prompt, newest first, without their requests.",
    ...ofPrompts,
    params: schema.PromptParams,
    query: schema.PromptQuery,
    reply: schema.PromptVersionPage,
    handle: (context, { params, query }) => service.listVersions(context, params.prompt_id, query),
  }),
  route({
    operation: "console.prompts.versions.retrieve",
    method: "GET",
    path: `${prompt}/versions/{version}`,
    summary: "One version of a prompt, with its request.",
    ...ofPrompts,
    params: schema.VersionParams,
    reply: schema.PromptVersion,
    handle: (context, { params }) =>
      service.retrieveVersion(context, params.prompt_id, params.version),
  }),
];
