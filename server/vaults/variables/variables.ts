// Environment variables of sandboxes whose values are secrets: a placeholder stands inside, and the network of the
// sandbox puts the secret in.
import type { World } from "../../../kernel/context.ts";
import type { DoorSecret } from "../../sandboxes/module.ts";
import type { Networking } from "../credentials/schema.ts";
import { openSecret } from "../credentials/secret.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import { noteUse } from "./uses.ts";

export interface Variable {
  name: string;
  credentialId: string;
  vaultId: string;
  networking: Networking;
}

export interface VariablesOfSession {
  used: (Variable & { placeholder: string })[];
  /** Two that came together after the session had begun: which of them is meant is not known. */
  twice: [Variable, Variable][];
  /** For which there is no room: the later ones. */
  tooMany: Variable[];
}

/** Each gets its placeholder when it is first asked for, and has the same one ever after. */
export async function variablesFor(
  world: Pick<World, "db" | "random" | "secrets">,
  session: queries.VaultsOfSession,
): Promise<VariablesOfSession> {
  if (session.vaultIds.length === 0) return { used: [], twice: [], tooMany: [] };
  let rows = await queries.listVariables(world.db, session);
  const fresh = rows.filter(({ placeholder }) => placeholder === null);
  if (fresh.length > 0) {
    const made = fresh.map(({ id }) => [id, newPlaceholder(world)] as const);
    await queries.placePlaceholders(world.db, session.id, new Map(made));
    rows = await queries.listVariables(world.db, session);
  }
  const { used, twice, tooMany } = apart(world, rows);
  return {
    used: used.flatMap(({ row }) =>
      row.placeholder === null ? [] : [{ ...variableOf(row), placeholder: row.placeholder }],
    ),
    twice: twice.map(([one, other]) => [variableOf(one), variableOf(other)]),
    tooMany: tooMany.map(variableOf),
  };
}

/** It cannot be guessed: what others bring a sandbox to send out has no placeholder in it. */
const newPlaceholder = ({ random }: Pick<World, "random">) =>
  `placeholder_of_secret_${random.bytes(16).toString("hex")}`;

const variableOf = ({ id, vaultId, auth }: queries.VariableRow): Variable => ({
  name: auth.secret_name,
  credentialId: id,
  vaultId,
  networking: auth.networking,
});

function apart(world: Pick<World, "secrets">, rows: readonly queries.VariableRow[]) {
  const used: { row: queries.VariableRow; value: string }[] = [];
  const twice: [queries.VariableRow, queries.VariableRow][] = [];
  const tooMany: queries.VariableRow[] = [];
  let room: number = limits.variableBytesPerSession;
  for (const [row, other] of Map.groupBy(rows, ({ slot }) => slot).values()) {
    const secret = row && openSecret(world, row);
    if (row === undefined || secret === undefined || !("secret_value" in secret)) continue;
    const value = secret.secret_value;
    room -= Buffer.byteLength(value);
    if (other !== undefined) twice.push([row, other]);
    else if (room >= 0) used.push({ row, value });
    else tooMany.push(row);
  }
  return { used, twice, tooMany };
}

/** As they are now, of those that the sandbox was started with: what came since has no placeholder in it. */
export async function openVariables(
  world: World,
  session: queries.VaultsOfSession,
  started: ReadonlySet<string>,
): Promise<DoorSecret[]> {
  const { used } = apart(world, await queries.listVariables(world.db, session));
  return used.flatMap(({ row, value }): DoorSecret[] => {
    if (!started.has(row.id) || row.placeholder === null) return [];
    const { networking, injection_location: places } = row.auth;
    return [
      {
        placeholder: row.placeholder,
        value,
        hosts: networking.type === "limited" ? networking.allowed_hosts : undefined,
        places,
        willBeUsed: (host) => mayUse(world, session, row, host),
      },
    ];
  });
}

async function mayUse(
  world: World,
  { id: sessionId, organizationId, workspaceId }: queries.VaultsOfSession,
  { id: credentialId, vaultId }: queries.VariableRow,
  host: string,
): Promise<boolean> {
  try {
    const whose = { organizationId, workspaceId, sessionId };
    await noteUse(world, { ...whose, credentialId, vaultId, host });
    return true;
  } catch (error) {
    world.logger.warn(
      { error, session: sessionId },
      "the use of a credential was not written down",
    );
    return false;
  }
}
