// The changes of sessions that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { sessionsOf, type Session } from "./sessions-house.ts";

const repository = { type: "github_repository", url: "https://github.com/owner/name" };

/** Events are the session's own record, and no thread but the first one is begun yet. */
export const unrecordedOfSessions = ["sessions.events.send", "sessions.threads.archive"];

/** The house is there when they are made ready. */
export function sessionChanges(houseOf: () => House): Record<string, AuditedChange> {
  const sessions = sessionsOf(houseOf);
  const state = async ({ api_key: key }: Tenant) => {
    const { body } = await sessions.call("GET", "?include_archived=true", { key });
    const { data } = body as { data: Session[] };
    const events = await Promise.all(
      data.map(({ id }) => sessions.good("GET", `/${id}/events`, { key })),
    );
    // They grow older meanwhile.
    return [data.map(({ stats: _stats, ...session }) => session), events];
  };
  const uploaded = async (key: string) => {
    const form = new FormData();
    form.append("file", new Blob(["one"]), "notes.txt");
    const headers = { "x-api-key": key };
    const url = `${houseOf().url}/v1/files`;
    const answer = await fetch(url, { method: "POST", headers, body: form });
    return { type: "file", file_id: ((await answer.json()) as { id: string }).id };
  };
  /** Of a session that was given a repository. */
  const change = (
    verb: string,
    method: string,
    pathOf: (session: { id: string; resource: string }) => string,
    bodyOf?: (key: string) => object | Promise<object>,
  ): AuditedChange => ({
    action: `session.${verb}`,
    prepare: async ({ api_key: key }) => {
      const { id, resources } = await sessions.make({}, { resources: [repository] }, { key });
      const [given] = resources as { id: string }[];
      const body = await bodyOf?.(key);
      const path = pathOf({ id, resource: given?.id ?? "" });
      return () => sessions.call(method, path, { key, ...(body && { body }) });
    },
    state,
  });
  const own = ({ id }: { id: string }) => `/${id}`;
  const resource = (session: { id: string; resource: string }) =>
    `/${session.id}/resources/${session.resource}`;
  return {
    "sessions.create": {
      action: "session.created",
      prepare: async ({ api_key: key }) => {
        const body = await sessions.bodyOf({}, { key });
        return () => sessions.call("POST", "", { key, body });
      },
      state,
    },
    "sessions.update": change("updated", "POST", own, () => ({ title: "Other" })),
    "sessions.archive": change("archived", "POST", ({ id }) => `/${id}/archive`),
    "sessions.delete": change("deleted", "DELETE", own),
    "sessions.resources.add": change(
      "resource_added",
      "POST",
      ({ id }) => `/${id}/resources`,
      uploaded,
    ),
    "sessions.resources.update": change("resource_updated", "POST", resource, () => ({
      authorization_token: "another",
    })),
    "sessions.resources.delete": change("resource_deleted", "DELETE", resource),
  };
}
