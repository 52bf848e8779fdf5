// The face of agents.
export { completeConfig, type ConfigScope } from "./config/config.ts";
export { shownMultiagent } from "./config/multiagent.ts";
export {
  ModelInput,
  ServersInput,
  SkillsInput,
  SystemInput,
  type AgentConfig,
  type ConfigInput,
} from "./config/schema.ts";
export { ToolsInput } from "./config/schema-tools.ts";
export { presentAgent, presentConfig, presentModel, reshownModel } from "./present.ts";
export { findAgentVersion, type AgentVersion } from "./queries.ts";
export { routes } from "./routes.ts";
export { Agent } from "./schema.ts";
export { searchables } from "./found/queries.ts";
