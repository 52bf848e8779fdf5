// The composition root: the only file that knows every noun.
import { join } from "node:path";
import type { World } from "../kernel/context.ts";
import { makeDispatch } from "../kernel/http/dispatch.ts";
import { makeInnerCalls } from "../kernel/http/inner-call.ts";
import { shareApi } from "../kernel/http/cross-origin.ts";
import { leanPathsOf, type Route } from "../kernel/http/route.ts";
import type { LeanPaths } from "../kernel/http/wire/lean/request-head.ts";
import type { ListenOptions } from "../kernel/http/wire/listen.ts";
import { openapi } from "../kernel/http/openapi/openapi.ts";
import { documentRoutes } from "../kernel/http/reference/serve.ts";
import { staticFiles } from "../kernel/http/output/static.ts";
import type { JobKind } from "../kernel/jobs/run.ts";
import type { Schedule } from "../kernel/jobs/schedules/schedules.ts";
import { busPart } from "../kernel/bus/part.ts";
import { part, startParts, type Part } from "../kernel/work/parts.ts";
import { startJobRunner } from "../kernel/jobs/job-runner.ts";
import * as alerts from "./alerts/module.ts";
import * as agents from "./agents/module.ts";
import * as audit from "./audit/module.ts";
import * as authorizations from "./authorizations/module.ts";
import * as batches from "./batches/module.ts";
import * as deployments from "./deployments/module.ts";
import * as environments from "./environments/module.ts";
import * as fallbacks from "./fallbacks/module.ts";
import * as federation from "./federation/module.ts";
import * as files from "./files/module.ts";
import * as groups from "./groups/module.ts";
import * as identity from "./identity/module.ts";
import * as identityProvider from "./identity_provider/module.ts";
import * as keys from "./keys/module.ts";
import * as limits from "./limits/module.ts";
import * as mcpClient from "./mcp_client/module.ts";
import * as mcpServers from "./mcp_servers/module.ts";
import * as members from "./members/module.ts";
import * as mcpEndpoint from "./mcp_endpoint/module.ts";
import * as mcpBridge from "./mcp_bridge/module.ts";
import * as memory from "./memory/module.ts";
import * as messages from "./messages/module.ts";
import * as models from "./models/module.ts";
import * as singleSignOn from "./single_sign_on/module.ts";
import * as passkeys from "./passkeys/module.ts";
import * as operations from "./operations/module.ts";
import * as organizations from "./organizations/module.ts";
import * as overview from "./overview/module.ts";
import * as requests from "./requests/module.ts";
import * as requestBodies from "./request_bodies/module.ts";
import * as prompts from "./prompts/module.ts";
import * as reports from "./reports/module.ts";
import * as tokens from "./tokens/module.ts";
import * as scim from "./scim/module.ts";
import { objectRoutes } from "./search/module.ts";
import * as sessions from "./sessions/module.ts";
import * as skills from "./skills/module.ts";
import * as traffic from "./traffic/module.ts";
import * as usage from "./usage/module.ts";
import * as vaults from "./vaults/module.ts";
import * as webhooks from "./webhooks/module.ts";
import * as workspaces from "./workspaces/module.ts";
import { hearOfAnswers } from "./hear-of-answers.ts";
import { title, version } from "../kernel/base/version.ts";

/** The grants that the token endpoint takes in exchange for a token. */
const grants: tokens.GrantHandlers = {
  ...tokens.grants,
  ...authorizations.grants,
  ...federation.grants,
};

/** The route table, whole: router, documents, client, metrics and tests are made from it. */
export const routes: readonly Route[] = [
  ...documentRoutes(() => openapi(routes, { title, version })),
  ...operations.routes,
  ...organizations.routes,
  ...overview.routes,
  ...members.routes,
  ...workspaces.routes,
  ...keys.routes,
  ...federation.routes,
  ...webhooks.routes,
  ...messages.routes,
  ...batches.routes,
  ...prompts.routes,
  ...agents.routes,
  ...memory.routes,
  ...files.routes,
  ...environments.routes,
  ...skills.routes,
  ...vaults.routes,
  ...mcpServers.routes,
  ...sessions.routes,
  ...deployments.routes,
  ...models.routes,
  ...limits.routes,
  ...alerts.routes,
  ...reports.routes,
  ...requestBodies.routes,
  ...identity.routes,
  ...tokens.tokenRoutes(grants),
  ...authorizations.routes,
  ...passkeys.routes,
  ...groups.routes,
  ...singleSignOn.routes,
  ...audit.routes,
  ...requests.routes,
  ...identityProvider.routes,
  ...scim.routes,
  ...objectRoutes(() => routes),
];

const kinds: readonly JobKind<World>[] = [
  ...identity.kinds,
  ...tokens.kinds,
  ...authorizations.kinds,
  ...members.kinds,
  ...federation.kinds,
  ...mcpServers.kinds,
  ...fallbacks.kinds,
  ...messages.kinds,
  ...batches.kinds,
  ...memory.kinds,
  ...files.kinds,
  ...skills.kinds,
  ...usage.kinds,
  ...audit.kinds,
  ...webhooks.kinds,
  ...traffic.kinds,
  ...requests.kinds,
  ...alerts.kinds,
  ...requestBodies.kinds,
  ...mcpEndpoint.kinds,
  ...sessions.kinds,
];
export const schedules: readonly Schedule[] = [
  ...identity.schedules,
  ...tokens.schedules,
  ...authorizations.schedules,
  ...members.schedules,
  ...federation.schedules,
  ...mcpServers.schedules,
  ...fallbacks.schedules,
  ...messages.schedules,
  ...batches.schedules,
  ...memory.schedules,
  ...files.schedules,
  ...skills.schedules,
  ...usage.schedules,
  ...audit.schedules,
  ...webhooks.schedules,
  ...traffic.schedules,
  ...requests.schedules,
  ...alerts.schedules,
  ...requestBodies.schedules,
  ...mcpEndpoint.schedules,
];

/** A job may do what requests and sessions do: ask models and MCP servers, count against limits, end credentials. */
const jobRunnerPart = part("worker of jobs", {
  needs: [
    keys.verdictsPart,
    models.catalogPart,
    usage.ledgerPart,
    limits.limitsPart,
    sessions.serversPart,
  ],
  start: (world: World) => {
    const { ids, instruments } = world;
    const runner = startJobRunner({
      ...world,
      owner: ids.next("worker_"),
      kinds,
      schedules,
      context: world,
      onRunEnded: (...run) => operations.noteJobRun(instruments, ...run),
    });
    return runner.drain;
  },
});

/**
 * What a process has and starts, in the order of needs, which is this one. The runner of batches ends before the
 * job runner: of the batches that it finishes, the jobs that put them away begin here.
 */
export const parts: readonly Part<unknown, World>[] = [
  busPart,
  keys.verdictsPart,
  tokens.verifiedTokensPart,
  groups.personModelsPart,
  federation.keyFetchesPart,
  organizations.changeQueuesPart,
  traffic.trafficPart,
  traffic.upstreamTrafficPart,
  requests.requestLogPart,
  requestBodies.bodyKeeperPart,
  audit.accessRecorderPart,
  models.catalogPart,
  usage.nodePart,
  usage.ledgerPart,
  scim.pacePart,
  scim.pageStartsPart,
  scim.requestLogPart,
  limits.limitsPart,
  messages.memoryBudgetsPart,
  memory.memoryWritesPart,
  memory.memoryReadsPart,
  skills.uploadsPart,
  vaults.renewalsPart,
  vaults.usesPart,
  sessions.serversPart,
  jobRunnerPart,
  batches.runnerPart,
  sessions.networkPart,
  sessions.sandboxesPart,
  mcpClient.verdictsPart,
  mcpBridge.bridgesPart,
  mcpEndpoint.noticeStreamsPart,
  sessions.brainPart,
  deployments.firingPart,
  environments.sweepPart(sessions.answerLostCalls),
  operations.gaugesPart,
  webhooks.auditEventsPart,
  audit.auditExportPart,
];

export interface App {
  dispatch: ListenOptions["dispatch"];
  leanPaths: LeanPaths;
  /** Starts the parts of this process; the result stops them and waits for running work. */
  start(): Promise<() => Promise<void>>;
}

export interface AppOptions {
  proxies: number;
  /** Of pages that may use the API. */
  corsOrigins: readonly string[];
  checkReplies?: boolean;
  /** All of them unless said otherwise: the warm-up does without most, whose checks take 40 ms to make. */
  served?: readonly Route[];
}

export function makeApp(world: World, options: AppOptions): App {
  const { proxies, corsOrigins, checkReplies, served = routes } = options;
  const queueChange = organizations.makeChangeQueue(world);
  const authentication = identity.makeAuthentication(world);
  const budget = organizations.makeAdministrationBudget(world);
  const spans = operations.makeRequestSpans(world.instruments.tracer);
  const onAnswered = hearOfAnswers(world, spans);
  const onBegan = spans?.began;
  const dispatch = makeDispatch({
    routes: served,
    world,
    authentication,
    budget,
    queueChange,
    proxies,
    onBegan,
    onAnswered,
    elsewhere: staticFiles({
      directory: join(import.meta.dirname, "../console/dist"),
      prefix: "/console/",
      except: "/console/api/",
      missing: "The console has not been built. Run npm ci, or node tools/prepare.ts.\n",
    }),
    ...(checkReplies !== undefined && { checkReplies }),
  });
  const scimRequests = scim.requestLogPart.of(world);
  const scimDoor = scim.makeScimDispatch(world, {
    queueChange,
    proxies,
    onBegan,
    onAnswered: (facts) => {
      onAnswered(facts);
      scimRequests.note(facts);
    },
  });
  const callRoute = makeInnerCalls({ routes, queueChange });
  const mcpDoor = mcpEndpoint.makeMcpDispatch(world, {
    authentication: authentication.atMcp,
    budget,
    proxies,
    onBegan,
    onAnswered,
    load: () => mcpEndpoint.loadPlinthServer(world, callRoute),
    more: [mcpBridge.bridgeRoute(world)],
  });
  const doorOf = (url: string | undefined) => {
    if (scim.isScim(url)) return scimDoor;
    return mcpEndpoint.isMcp(url) ? mcpDoor : dispatch;
  };
  return {
    dispatch: (request, response) => {
      const isAnswered =
        mcpEndpoint.shareMcp(world, request, response) || shareApi(request, response, corsOrigins);
      if (!isAnswered) doorOf(request.url)(request, response);
    },
    leanPaths: leanPathsOf(served),
    start: () => startParts(world, parts),
  };
}
