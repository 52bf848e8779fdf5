// From the credentials of workers to their principals: keys of environments, and tokens of the work that they hold.
import { forbidden } from "../../../kernel/base/failure.ts";
import type { Principal, World } from "../../../kernel/context.ts";
import { secretPrefixes } from "../../../kernel/secret/token.ts";
import * as environments from "../../environments/module.ts";
import { verdictsOf } from "../../keys/module.ts";

/** What workers alone may: take work and keep it. */
export const workPermission = "work:run";
const permissions: ReadonlySet<string> = new Set([workPermission]);

/** Undefined for a secret that is no worker's. */
export type WorkerAuthentication = (secret: string) => Promise<Principal | undefined>;

export function makeWorkerAuthentication(world: World): WorkerAuthentication {
  const remembered = verdictsOf(world).makeCache((_, secret) => findKey(world, secret));
  return async (secret) => {
    if (secret.startsWith(secretPrefixes.environment)) return await remembered(secret);
    // Not remembered: with each heartbeat of another worker it may be over.
    if (secret.startsWith(secretPrefixes.session)) return findToken(world, secret);
    return undefined;
  };
}

async function findKey({ db }: World, secret: string): Promise<Principal | undefined> {
  const key = await environments.findEnvironmentKey(db, secret);
  if (key === undefined || key.revokedAt !== null) return undefined;
  const { id, organizationId, organizationType, workspaceId, environmentId } = key;
  return {
    kind: "environment_key",
    credentialId: id,
    organizationId,
    organizationType,
    workspaceId,
    userId: null,
    name: key.name ?? id,
    permissions,
    worker: { environmentId },
  };
}

async function findToken({ db }: World, secret: string): Promise<Principal | undefined> {
  const token = await environments.findWorkToken(db, secret);
  if (token === undefined) return undefined;
  const { organizationId, organizationType, workspaceId, environmentId } = token;
  const { workId, sessionId, epoch, stores } = token;
  return {
    kind: "session_token",
    // What it writes is the session's: versions of memories say so.
    credentialId: sessionId ?? workId,
    organizationId,
    organizationType,
    workspaceId,
    userId: null,
    name: workId,
    permissions,
    worker: {
      environmentId,
      workId,
      sessionId,
      epoch,
      isLate: environments.isLate(token),
      memoryStores: new Map(stores.map(({ id, access }) => [id, access])),
    },
  };
}

/** A late worker is told so by the routes of its work, and does nothing of a session any more. */
export function expectInTime({ worker }: Principal, permission: string): void {
  const isOfSession = permission !== workPermission && permission !== "environments:use";
  if (worker?.isLate === true && isOfSession)
    throw forbidden(
      `The work ${worker.workId} is over, or another worker holds it: this token does nothing more in its session. Poll for more work.`,
      { code: "work_lease_lost" },
    );
}
