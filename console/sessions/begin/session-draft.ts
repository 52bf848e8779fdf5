// A session that is about to begin, as it stands in the form and as it is sent.
import type { SessionsCreateBody } from "../../../contract/types.ts";
import { server, type Session } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { hundredthsOf, notAnAmount } from "../../kit/value/money.ts";
import { keepFirstMessage } from "../first-message.ts";
import type { Workspace } from "../session-queries.ts";

export interface ChosenStore {
  id: string;
  access: "read_write" | "read_only";
}

export interface Draft {
  agent: string;
  environment: string;
  title: string;
  message: string;
  stores: ChosenStore[];
  /** By their ids. */
  vaults: string[];
  /** In dollars, as it was typed; nothing where there is none. */
  budget: string;
}

type Faults = { [Name in keyof Draft]?: string | undefined };

export function faultsOf({ agent, environment, budget }: Draft): Faults {
  const cents = hundredthsOf(budget);
  return {
    agent: agent === "" ? "Choose an agent." : undefined,
    environment: environment === "" ? "Choose an environment." : undefined,
    budget:
      budget.trim() === "" || (cents !== undefined && cents !== "0") ? undefined : notAnAmount,
  };
}

export function bodyOf(draft: Draft): SessionsCreateBody {
  const { agent, environment, title, stores, vaults, budget } = draft;
  const amount = hundredthsOf(budget);
  return {
    agent,
    environment_id: environment,
    ...(title.trim() !== "" && { title: title.trim() }),
    ...(vaults.length > 0 && { vault_ids: vaults }),
    ...(stores.length > 0 && {
      resources: stores.map(({ id, access }) => ({
        type: "memory_store" as const,
        memory_store_id: id,
        access,
      })),
    }),
    ...(amount !== undefined && {
      budget: { type: "limit" as const, max_list_cost: { amount, currency: "USD" as const } },
    }),
  };
}

/** The first message goes with the page of the session: an answer is seen being written only by who saw it begin. */
export async function begin(workspace: Workspace, draft: Draft): Promise<Session> {
  const body = bodyOf(draft);
  const session = await server.sessions.create({ body, headers: inWorkspace(workspace) });
  keepFirstMessage(session.id, draft.message);
  return session;
}
