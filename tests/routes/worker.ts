// The worker of a tenant: an environment, made once for all tests of a file, with a key and sessions that want it.
const beta: Record<string, string> = { "vendor-beta": "managed-agents-2026-04-01" };

export interface RouteWorker {
  environment_id: string;
  secret: string;
}

const known = new WeakMap<object, Map<string, Promise<RouteWorker>>>();

/** What is needed of a tenant. */
interface Owner {
  world: object;
  name: string;
  console(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<unknown>;
}

const post = async <T = { id: string }>({ console }: Owner, path: string, body: unknown) =>
  (await console("POST", path, body, beta)) as T;

export function workerIn(tenant: Owner): Promise<RouteWorker> {
  const ofHouse = known.get(tenant.world) ?? new Map<string, Promise<RouteWorker>>();
  known.set(tenant.world, ofHouse);
  const worker = ofHouse.get(tenant.name) ?? makeWorker(tenant);
  ofHouse.set(tenant.name, worker);
  return worker;
}

async function makeWorker(tenant: Owner): Promise<RouteWorker> {
  const hosted = { name: "ours", config: { type: "self_hosted" } };
  const { id } = await post(tenant, "/v1/environments", hosted);
  const { secret } = await post<{ secret: string }>(tenant, `/v1/environments/${id}/keys`, {});
  return { environment_id: id, secret };
}

/** Work that waits for the worker. */
export async function queuedWorkIn(tenant: Owner) {
  const { environment_id } = await workerIn(tenant);
  const agent = await post(tenant, "/v1/agents", { name: "Helper", model: "sim-small" });
  const said = { type: "user.message", content: [{ type: "text", text: "hello" }] };
  const session = await post(tenant, "/v1/sessions", {
    agent: agent.id,
    environment_id,
    initial_events: [said],
  });
  const listed = (await tenant.console(
    "GET",
    `/console/api/environments/${environment_id}/work?limit=100`,
  )) as { data: { id: string; data: { id: string } }[] };
  const work = listed.data.find(({ data }) => data.id === session.id);
  if (work === undefined) throw new Error("a session that runs has work");
  return { environment_id, work_id: work.id };
}
