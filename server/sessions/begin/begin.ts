// Begins a session, for a client or for a deployment, in the caller's transaction.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import { expectMetadata } from "../../../kernel/base/metadata.ts";
import type { Actor } from "../../../kernel/context.ts";
import { openStream } from "../../../kernel/log/log.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { record, type AuditActor } from "../../audit/module.ts";
import { findEnvironment, type EnvironmentConfig } from "../../environments/module.ts";
import { missingOf } from "../../sandboxes/module.ts";
import { expectSessionVaults } from "../../vaults/module.ts";
import { workspaceEvent } from "../../webhooks/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { takeEvents } from "../events/send.ts";
import { tellSession } from "../events/webhooks.ts";
import { acceptEvents } from "../inputs/accept.ts";
import { expectFiles } from "../inputs/files.ts";
import type { ClientEventInput } from "../inputs/schema.ts";
import { limits } from "../limits.ts";
import { expectCanBegin, pinAgent } from "../model/pinned-agent.ts";
import { nanoPerCent } from "../present.ts";
import * as queries from "../queries.ts";
import { completeResources, storesFolder } from "../resources/complete.ts";
import type { ResourceInput } from "../resources/schema.ts";
import { addResources } from "../resources/service.ts";
import { sandboxesPart } from "../sandbox/sandboxes.ts";
import type { BudgetInput, CreateSession } from "../schema.ts";

/** As a client says it, with a word of the system behind the last message, if wanted. */
type NewSession = Omit<CreateSession, "initial_events"> & {
  initial_events?: readonly ClientEventInput[] | null;
};

interface Beginning {
  /** Whom the audit log names. */
  by: AuditActor;
  deploymentId?: string;
}

/** A new session of the actor's workspace, in the caller's transaction; answers its id. */
export async function beginSession(
  tx: Tx,
  actor: Actor,
  body: NewSession,
  { by, deploymentId }: Beginning,
): Promise<string> {
  const { ids, clock, who } = actor;
  const workspaceId = workspaceOf(actor);
  const vaultIds = body.vault_ids ?? [];
  const environment = await openEnvironment(tx, actor, body.environment_id);
  const agent = await pinAgent(actor, tx, body.agent);
  await expectGuarantees(actor, environment.config);
  await expectCanBegin(actor, tx, agent, environment.config);
  await expectSessionVaults(tx, workspaceId, vaultIds);
  const [id, threadId, at] = [ids.next("sesn_"), ids.next("sthr_"), clock.now()];
  const environmentType = environment.config.type;
  const resources = await completeResources(actor, tx, body.resources ?? [], {
    prefix: (index) => `resources.${index}.`,
    storesIn: storesFolder(actor, { id, environmentType }),
  });
  const stores = resources.filter(({ type }) => type === "memory_store");
  await queries.insertSession(tx, workspaceId, {
    id,
    threadId,
    organizationId: who.organizationId,
    agent,
    environmentId: environment.id,
    environmentType,
    deploymentId: deploymentId ?? null,
    title: body.title ?? null,
    metadata: expectMetadata(body.metadata ?? {}),
    vaultIds,
    memoryStoreIds: stores.map(({ shown }) => String(shown["memory_store_id"])),
    budgetNano: body.budget == null ? null : nanoOf(body.budget),
    credentialId: who.credentialId,
    userId: who.userId,
    serviceAccountId: who.serviceAccountId ?? null,
    keyMakerId: who.keyMakerId ?? null,
    createdAt: at,
  });
  await openStream(tx, threadId);
  await addResources(tx, actor, { sessionId: id, at }, resources);
  // What is told of it comes before what is told of its work.
  const [target, { organizationId }] = [{ type: "session", id }, who];
  await record(tx, actor, by, { action: "session.created", target, organizationId });
  await workspaceEvent(tx, actor, { workspaceId, type: "session.created", id });
  tellSession(tx, actor, workspaceId, id);
  const events = body.initial_events ?? [];
  if (events.length > 0) await takeEvents(tx, actor, id, events, "initial_events");
  return id;
}

async function openEnvironment(tx: Tx, actor: Actor, id: string) {
  const environment = await findEnvironment(tx, workspaceOf(actor), id);
  if (environment === undefined) throw notFound("environment", id);
  if (environment.archivedAt === null) return environment;
  throw invalid(`environment_id: the environment ${id} is archived, and no session begins in it.`, {
    code: "environment_archived",
  });
}

/** What its environment asks of the machine. */
async function expectGuarantees(actor: Actor, config: EnvironmentConfig): Promise<void> {
  const asked = config.type === "cloud" ? (config.sandbox?.guarantees ?? []) : [];
  if (asked.length === 0) return;
  const fault = missingOf(await sandboxesPart.of(actor).summary(), asked);
  if (fault !== undefined)
    throw invalid(
      `environment_id: config.sandbox.guarantees of the environment asks for more. ${fault}`,
      {
        code: "unsupported",
      },
    );
}

export function nanoOf({ max_list_cost: { amount } }: BudgetInput): number {
  const cents = Number(amount);
  if (cents > limits.budgetCentsMax)
    throw invalid(
      `budget.max_list_cost.amount: must be at most ${limits.budgetCentsMax} cents; leave the budget out where there is to be none.`,
    );
  return cents * nanoPerCent;
}

interface Opening {
  environmentType: EnvironmentConfig["type"];
  events?: readonly ClientEventInput[] | undefined;
  resources?: readonly ResourceInput[] | undefined;
}

/** What sessions that begin later are to be told and given, judged now as it will be then. */
export async function expectOpening(
  tx: Tx,
  actor: Actor,
  { environmentType, events = [], resources = [] }: Opening,
): Promise<void> {
  const { ids, clock } = actor;
  await expectFiles(actor, tx, events, "initial_events");
  acceptEvents(
    events,
    { threadId: "", environmentType },
    {
      calls: [],
      questions: new Map(),
      isWorker: false,
      threads: [],
      ids,
      now: clock.now(),
      field: "initial_events",
    },
  );
  await completeResources(actor, tx, resources, {
    prefix: (index) => `resources.${index}.`,
    storesIn: storesFolder(actor, { id: "sesn_", environmentType }),
  });
}
