// What a session's model is told beside the conversation: its agent's words, tools, stores and skills.
import { posix } from "node:path";
import type { Queryable } from "../../../kernel/sql/database.ts";
import type { AgentConfig } from "../../agents/module.ts";
import { memoryLimits } from "../../memory/module.ts";
import type { Catalog } from "../../models/module.ts";
import { memoryPlace } from "../../mounts/module.ts";
import { resolveSkills } from "../../skills/module.ts";
import type { PromptConfig } from "../brain/outside/prompt.ts";
import { limits } from "../limits.ts";
import { skillsPlace } from "../sandbox/mounts/places.ts";
import type { PinnedAgent } from "../queries.ts";
import type { WorkedSession } from "./queries.ts";
import type { ThreadTool } from "./tools-of-thread.ts";

export async function promptConfigOf(
  session: WorkedSession,
  {
    agent,
    tools,
    notes = [],
  }: { agent: PinnedAgent; tools: readonly ThreadTool[]; notes?: readonly string[] },
  { on, catalog }: { on: Queryable; catalog: Catalog },
): Promise<PromptConfig> {
  const { config } = agent;
  const { model } = config;
  const known = catalog.resolve(model.id);
  const system = [
    config.system,
    storesNote(session),
    session.environmentType === "cloud" ? repositoriesNote(session.resources) : null,
    await skillsNote(config, session, on),
    ...notes,
  ].filter((text) => text !== null);
  return {
    model: model.id,
    system,
    tools: tools
      .filter(({ isHidden }) => isHidden !== true)
      .map(({ name, description, inputSchema }) => ({
        name,
        description,
        input_schema: inputSchema,
      })),
    effort: model.effort ?? null,
    speed: model.speed,
    inferenceGeo: model.inference_geo ?? null,
    maxTokens: Math.min(known?.maxTokens ?? limits.outputTokensMax, limits.outputTokensMax),
  };
}

function repositoriesNote(resources: WorkedSession["resources"]): string | null {
  const lines = resources.flatMap(({ url, mount_path }) =>
    typeof url === "string" ? [`- ${url}: ${String(mount_path)}`] : [],
  );
  if (lines.length === 0) return null;
  return `Repositories of git are cloned before your first call of a tool:\n${lines.join("\n")}\nNothing can be pushed from here: no tool of yours has a token.`;
}

/** Workers mount them at the same paths, which the session shows. */
function storesNote({
  resources,
  environmentType,
}: Pick<WorkedSession, "resources" | "environmentType">): string | null {
  const stores = resources.filter(({ memory_store_id }) => typeof memory_store_id === "string");
  if (stores.length === 0) return null;
  const lines = stores.map((store) => {
    const { name, mount_path, access, description, instructions } = store;
    const may = access === "read_only" ? "read only" : "read and write";
    const more = [description, instructions].filter(
      (text) => typeof text === "string" && text !== "",
    );
    return `- ${String(name)}: ${String(mount_path)} (${may})${more.map((text) => `\n  ${String(text)}`).join("")}`;
  });
  return `Memory stores are mounted as directories:\n${lines.join("\n")}\nEach file there is a memory: a text of at most ${memoryLimits.contentBytesMax} bytes, kept for later sessions. What is written elsewhere under ${placeOf(environmentType, stores)} is lost with the session.`;
}

/** Where all of a session's stores lie: of one with a worker it is its own. */
const placeOf = (
  environmentType: WorkedSession["environmentType"],
  [store]: readonly Record<string, unknown>[],
): string =>
  environmentType === "cloud" ? memoryPlace : posix.dirname(String(store?.["mount_path"]));

/** A skill that has been deleted since is told of no more. */
async function skillsNote(
  { skills }: AgentConfig,
  { workspaceId, environmentType }: WorkedSession,
  on: Queryable,
) {
  if (skills.length === 0) return null;
  const lines: string[] = [];
  for (const skill of skills) {
    const [found] = await resolveSkills(on, workspaceId, [skill]).catch(() => []);
    if (found !== undefined) lines.push(`- ${found.name}: ${found.description}`);
  }
  if (lines.length === 0) return null;
  const place = environmentType === "cloud" ? skillsPlace : "/workspace/skills";
  return `Skills lie in ${place}, each in a folder of its name; read its SKILL.md before you use one:\n${lines.join("\n")}`;
}
