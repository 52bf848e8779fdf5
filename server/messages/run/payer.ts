// Who pays for the hops of a request: its caller.
import type { Actor } from "../../../kernel/context.ts";
import type { Model } from "../../models/module.ts";
import type { Origin, Payer } from "../../usage/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import type { Accounting } from "./accounting.ts";

export function payerOf(
  actor: Actor,
  { id, upstream, prices }: Pick<Model, "id" | "upstream" | "prices">,
  { isBatch }: Pick<Accounting, "isBatch">,
): Payer {
  const { who } = actor;
  return {
    organizationId: who.organizationId,
    workspaceId: workspaceOf(actor),
    credentialId: who.credentialId,
    userId: who.userId ?? who.serviceAccountId ?? null,
    model: id,
    upstream,
    kind: isBatch ? "batch" : "message",
    prices,
    keyMakerId: who.keyMakerId ?? null,
    origin: isBatch ? "batch" : originOf(who),
  };
}

function originOf({ kind }: Actor["who"]): Origin {
  if (kind === "console") return "console";
  return kind === "session_token" ? "session" : "api";
}
