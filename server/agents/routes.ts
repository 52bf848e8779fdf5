// Routes of agents.
import { route, type BetaRule } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const beta: BetaRule = { name: "managed-agents-2026-04-01", gate: "always" };
const ofAgents = { permission: "agents:use", beta } as const;
const { bodyBytesMax } = limits;
const agent = "/v1/agents/{agent_id}";

export const routes = [
  route({
    operation: "agents.create",
    method: "POST",
    path: "/v1/agents",
    summary: "Makes an agent, at version 1.",
    ...ofAgents,
    body: schema.CreateAgent,
    bodyBytesMax,
    reply: schema.Agent,
    handle: (context, { body }) => service.createAgent(context, body),
  }),
  route({
    operation: "agents.list",
    method: "GET",
    path: "/v1/agents",
    summary: "Lists the workspace's agents, newest first, each at its newest version.",
    ...ofAgents,
    query: schema.AgentQuery,
    reply: schema.AgentPage,
    handle: (context, { query }) => service.listAgents(context, query),
  }),
  route({
    operation: "agents.retrieve",
    method: "GET",
    path: agent,
    summary: "One agent, at its newest version or at the one that is named.",
    ...ofAgents,
    params: schema.AgentParams,
    query: schema.AgentVersionQuery,
    reply: schema.Agent,
    handle: (context, { params, query }) => service.retrieveAgent(context, params.agent_id, query),
  }),
  route({
    operation: "agents.update",
    method: "POST",
    path: agent,
    summary: "Changes what is named of an agent, which makes its next version.",
    ...ofAgents,
    params: schema.AgentParams,
    body: schema.UpdateAgent,
    bodyBytesMax,
    errors: [409],
    reply: schema.Agent,
    handle: (context, { params, body }) => service.updateAgent(context, params.agent_id, body),
  }),
  route({
    operation: "agents.archive",
    method: "POST",
    path: `${agent}/archive`,
    summary: "Closes an agent for ever: it can be read, and no longer changed or used.",
    ...ofAgents,
    params: schema.AgentParams,
    reply: schema.Agent,
    handle: (context, { params }) => service.archiveAgent(context, params.agent_id),
  }),
  route({
    operation: "agents.versions.list",
    method: "GET",
    path: `${agent}/versions`,
    summary: "Lists the versions of an agent, newest first.",
    ...ofAgents,
    params: schema.AgentParams,
    query: schema.VersionsQuery,
    reply: schema.AgentPage,
    handle: (context, { params, query }) => service.listVersions(context, params.agent_id, query),
  }),
];
