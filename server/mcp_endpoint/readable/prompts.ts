// Prompts: the skills of the workspace, whose instructions a client puts before its own model.
import {
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptResult,
  type Prompt,
} from "@modelcontextprotocol/server";
import { readZip } from "../../../kernel/archive/zip-reader.ts";
import { invalid, isFailure, type Failure } from "../../../kernel/base/failure.ts";
import type { Reply } from "../../../kernel/http/output/reply.ts";
import type { Api } from "../caller.ts";
import { limits } from "../limits.ts";
import { bytesOf } from "./contents.ts";
import { noCursor } from "./resources.ts";
import type { Page } from "../tools/tool.ts";

interface Skill {
  id: string;
  display_name: string;
}

interface SkillVersion {
  id: string;
  name: string;
  description: string;
}

/** Names of skills are not unique, so that the id stands behind it. */
const nameOf = ({ id }: Pick<Skill, "id">, { name }: SkillVersion) => `${name}.${id}`;

/** What the person wants of the skill is theirs to say. */
const requestArgument = {
  name: "request",
  description: "What is to be done, put behind the instructions.",
  required: false,
};

export async function listPrompts(api: Api, cursor: string | undefined) {
  const query = { limit: limits.promptsPerPage, ...(cursor !== undefined && { page: cursor }) };
  const page = await skillsOf(api, query, cursor !== undefined);
  const prompts = await Promise.all(page.data.map((skill) => promptOf(api, skill)));
  return {
    prompts: prompts.flatMap((prompt) => prompt ?? []),
    ...(page.next_page !== null && { nextCursor: page.next_page }),
  };
}

async function skillsOf(api: Api, query: object, hasCursor: boolean): Promise<Page<Skill>> {
  try {
    return (await api("skills.list", { query: { ...query } })) as Page<Skill>;
  } catch (error) {
    if (!isFailure(error)) throw error;
    if (error.type === "permission_error") return { data: [], next_page: null };
    throw hasCursor && error.type === "invalid_request_error" ? noCursor() : error;
  }
}

/** Undefined where it was deleted just now. */
async function promptOf(api: Api, skill: Skill): Promise<Prompt | undefined> {
  try {
    const version = await latestOf(api, skill.id);
    return {
      name: nameOf(skill, version),
      title: skill.display_name,
      description: version.description,
      arguments: [requestArgument],
    };
  } catch (error) {
    if (isFailure(error) && error.type === "not_found_error") return undefined;
    throw error;
  }
}

const latestOf = async (api: Api, skill_id: string) =>
  (await api("skills.versions.retrieve", {
    params: { skill_id, version: "latest" },
  })) as SkillVersion;

/** Rule MCE16. */
export async function getPrompt(
  api: Api,
  name: string,
  given: Readonly<Record<string, string>> = {},
): Promise<GetPromptResult> {
  const other = Object.keys(given).find((key) => key !== requestArgument.name);
  if (other !== undefined)
    throw badPrompt(`arguments.${other.slice(0, 100)}: this prompt has request alone.`);
  try {
    const { skillId, version } = await findPrompt(api, name);
    const instructions = await instructionsOf(api, skillId, version);
    const request = given["request"]?.trim() ?? "";
    const text = request === "" ? instructions : `${instructions}\n\n${request}`;
    return {
      description: version.description,
      messages: [{ role: "user", content: { type: "text", text } }],
    };
  } catch (error) {
    throw isFailure(error) ? promptRefusal(name, error) : error;
  }
}

/** The skill that it is, without its instructions. */
async function findPrompt(api: Api, name: string) {
  const skillId = /^[^.]+\.(skill_\w+)$/.exec(name)?.[1];
  if (skillId === undefined) throw noPrompt(name);
  const version = await latestOf(api, skillId);
  if (nameOf({ id: skillId }, version) !== name) throw noPrompt(name);
  return { skillId, version };
}

/** Throws where there is none of that name. */
export async function expectPrompt(api: Api, name: string): Promise<void> {
  try {
    await findPrompt(api, name);
  } catch (error) {
    throw isFailure(error) ? promptRefusal(name, error) : error;
  }
}

const promptRefusal = (name: string, { type, message }: Failure) =>
  type === "not_found_error" ? noPrompt(name) : badPrompt(message);

const badPrompt = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
const noPrompt = (name: string) =>
  badPrompt(`There is no prompt ${name.slice(0, 200)}. prompts/list has those that there are.`);

/** SKILL.md below its front matter, which is for programs. */
async function instructionsOf(api: Api, skill_id: string, { id, name }: SkillVersion) {
  const reply = await api("skills.versions.download", { params: { skill_id, version: id } });
  const zip = await bytesOf(reply as Reply, limits.skillBytesMax);
  const entry = readZip(zip, { entriesMax: limits.skillEntriesMax }).find(
    (each) => each.name === `${name}/SKILL.md`,
  );
  if (entry === undefined) return "";
  if (entry.bytes > limits.promptBytesMax)
    throw invalid(`SKILL.md of ${name} has ${entry.bytes} bytes, too many for a prompt.`);
  const text = (await entry.read()).toString("utf8").replace(/^\ufeff/, "");
  return text.replace(/^---[ \t]*\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/, "").trim();
}
