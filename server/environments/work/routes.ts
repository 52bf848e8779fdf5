// Routes of the work of self-hosted environments: what workers call, and what people see of it.
import { route, type BetaRule } from "../../../kernel/http/route.ts";
import { beat } from "./heartbeat.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const beta: BetaRule = { name: "managed-agents-2026-04-01", gate: "always" };
const ofEnvironments = { permission: "environments:use", beta } as const;
const ofWorkers = { permission: "work:run", beta } as const;
const queue = "/v1/environments/{environment_id}/work";
const item = `${queue}/{work_id}` as const;
const console = "/console/api/environments/{environment_id}/work";

export const workRoutes = [
  route({
    operation: "environments.work.poll",
    method: "GET",
    path: `${queue}/poll`,
    summary: "Hands the oldest work out to a worker; 204 where there is none.",
    ...ofWorkers,
    credentials: ["environment_key"],
    params: schema.QueueParams,
    query: schema.PollQuery,
    reply: schema.Work,
    handle: (context, { params, query }) => service.poll(context, params.environment_id, query),
  }),
  route({
    operation: "environments.work.stats",
    method: "GET",
    path: `${queue}/stats`,
    summary: "How many wait for a worker, since when, and how many workers poll.",
    ...ofEnvironments,
    params: schema.QueueParams,
    reply: schema.WorkQueueStats,
    handle: (context, { params }) => service.workStats(context, params.environment_id),
  }),
  route({
    operation: "environments.work.list",
    method: "GET",
    path: queue,
    summary: "Lists the work of an environment, newest first: that of the last days too.",
    ...ofWorkers,
    credentials: ["environment_key"],
    params: schema.QueueParams,
    query: schema.WorkQuery,
    reply: schema.WorkPage,
    handle: (context, { params, query }) => service.listWork(context, params.environment_id, query),
  }),
  route({
    operation: "environments.work.retrieve",
    method: "GET",
    path: item,
    summary: "One piece of work.",
    ...ofEnvironments,
    params: schema.WorkParams,
    reply: schema.Work,
    handle: (context, { params }) =>
      service.retrieveWork(context, params.environment_id, params.work_id),
  }),
  route({
    operation: "environments.work.update",
    method: "POST",
    path: item,
    summary: "Changes the metadata of work.",
    ...ofEnvironments,
    params: schema.WorkParams,
    body: schema.UpdateWork,
    reply: schema.Work,
    handle: (context, { params, body }) =>
      service.updateWork(context, params.environment_id, params.work_id, body),
  }),
  route({
    operation: "environments.work.ack",
    method: "POST",
    path: `${item}/ack`,
    summary: "A worker has taken work: it is off the queue.",
    ...ofWorkers,
    params: schema.WorkParams,
    errors: [409],
    reply: schema.Work,
    handle: (context, { params }) =>
      service.acknowledge(context, params.environment_id, params.work_id),
  }),
  route({
    operation: "environments.work.heartbeat",
    method: "POST",
    path: `${item}/heartbeat`,
    summary: "A worker still works on it; 412 where another one may hold it.",
    ...ofWorkers,
    params: schema.WorkParams,
    query: schema.HeartbeatQuery,
    reply: schema.WorkHeartbeat,
    handle: (context, { params, query }) =>
      beat(context, params.environment_id, params.work_id, query),
  }),
  route({
    operation: "environments.work.stop",
    method: "POST",
    path: `${item}/stop`,
    summary: "Stops work: its worker is told to end it, or with force it is over at once.",
    ...ofEnvironments,
    alsoCredentials: ["environment_key", "session_token"],
    params: schema.WorkParams,
    body: schema.StopWork,
    errors: [409],
    reply: schema.Work,
    handle: (context, { params, body }) =>
      service.stopWork(context, params.environment_id, params.work_id, body),
  }),
  route({
    operation: "environments.check",
    method: "POST",
    path: "/v1/environments/{environment_id}/check",
    summary:
      "Queues a check that the next worker of the environment answers; one that waits stays.",
    ...ofEnvironments,
    params: schema.QueueParams,
    reply: schema.Work,
    handle: (context, { params }) => service.checkWorkers(context, params.environment_id),
  }),
  route({
    operation: "console.environments.work.list",
    method: "GET",
    path: console,
    summary: "The same list for the console.",
    permission: ofEnvironments.permission,
    credentials: ["console"],
    params: schema.QueueParams,
    query: schema.WorkQuery,
    reply: schema.WorkPage,
    handle: (context, { params, query }) => service.listWork(context, params.environment_id, query),
  }),
  route({
    operation: "console.environments.work.check",
    method: "POST",
    path: `${console}/check`,
    summary: "Queues a check that the next worker of the environment answers.",
    permission: ofEnvironments.permission,
    credentials: ["console"],
    params: schema.QueueParams,
    reply: schema.Work,
    handle: (context, { params }) => service.checkWorkers(context, params.environment_id),
  }),
];
