// Environment variables of a session's sandbox whose values are credentials of its vaults: what the sandbox is given,
// what its network puts in their place, and which of them are of no use.
import type { World } from "../../../kernel/context.ts";
import {
  closedPolicy,
  doorLimits,
  makeAuthority,
  mayReach,
  trustedHere,
  type DoorOptions,
  type FolderFile,
  type NetworkPolicy,
  type SandboxFolder,
  type SandboxProvider,
} from "../../sandboxes/module.ts";
import {
  openVariables,
  variablesFor,
  vaultLimits,
  type Variable,
  type VaultsOfSession,
} from "../../vaults/module.ts";
import type { CredentialError } from "../conversation/events.ts";
import type { WorkedSession } from "../model/queries.ts";
import { readPolicy, sourceOf } from "../network/network.ts";

/** Programs find there whom to trust: the network speaks for the hosts of credentials. */
const certificatesFolder: SandboxFolder = { path: "/mnt/certificates", kind: "read_only" };
const places = {
  all: `${certificatesFolder.path}/authorities.pem`,
  own: `${certificatesFolder.path}/sandbox.pem`,
  wget: `${certificatesFolder.path}/wgetrc`,
};

/** Programs agree on no name. */
const trustEnvironment = {
  SSL_CERT_FILE: places.all,
  CURL_CA_BUNDLE: places.all,
  REQUESTS_CA_BUNDLE: places.all,
  PIP_CERT: places.all,
  npm_config_cafile: places.all,
  GIT_SSL_CAINFO: places.all,
  AWS_CA_BUNDLE: places.all,
  CARGO_HTTP_CAINFO: places.all,
  NODE_EXTRA_CA_CERTS: places.own,
  DENO_CERT: places.own,
  WGETRC: places.wget,
};

export interface SandboxVariables extends Pick<DoorOptions, "secrets"> {
  env: Record<string, string>;
  folders: SandboxFolder[];
  /** Before anything runs: once in each sandbox, whose folders stay when its shell is a new one. */
  prepare(provider: SandboxProvider): Promise<void>;
}

export async function openSandboxVariables(
  world: World,
  session: VaultsOfSession,
): Promise<SandboxVariables> {
  const { used } = await variablesFor(world, session);
  if (used.length === 0) return { env: {}, folders: [], prepare: async () => {} };
  const authority = await makeAuthority(world);
  const started = new Set(used.map(({ credentialId }) => credentialId));
  let isPrepared = false;
  return {
    env: {
      ...trustEnvironment,
      ...Object.fromEntries(used.map(({ name, placeholder }) => [name, placeholder])),
    },
    folders: [certificatesFolder],
    secrets: {
      authority,
      read: sourceOf(world, {
        sessionId: session.id,
        ageMs: doorLimits.secretsAgeMs,
        what: "the credentials of a sandbox",
        read: () => openVariables(world, session, started),
      }),
    },
    async prepare(provider) {
      if (isPrepared) return;
      const files = certificateFiles(authority.certificate);
      await provider.fill(session.id, certificatesFolder.path, { isWhole: true, files });
      isPrepared = true;
    },
  };
}

function certificateFiles(own: string): FolderFile[] {
  const file = (path: string, text: string) => ({ path, content: new TextEncoder().encode(text) });
  return [
    file("authorities.pem", [...trustedHere(), own].join("\n")),
    file("sandbox.pem", own),
    file("wgetrc", `ca_certificate = ${places.all}\n`),
  ];
}

/** Rules VLT11 and VLT15: what is said of those that are of no use in this session. */
export async function variableErrors(
  world: World,
  session: WorkedSession,
): Promise<CredentialError[]> {
  const { used, twice, tooMany } = await variablesFor(world, session);
  const isElsewhere = session.environmentType === "self_hosted";
  const allowed =
    isElsewhere || used.length === 0 ? closedPolicy : await readPolicy(world, session.id);
  const tell = (variable: Variable, why: string): CredentialError =>
    errorOf(
      variable,
      `The credential ${variable.credentialId} for the variable ${variable.name} ${why}`,
    );
  return [
    ...twice.map(([one, other]) =>
      errorOf(
        one,
        `The credentials ${one.credentialId} (of ${one.vaultId}) and ${other.credentialId} (of ${other.vaultId}) are both for the variable ${one.name}, and neither is used. Archive one of them.`,
      ),
    ),
    ...tooMany.map((variable) => tell(variable, noRoom)),
    ...used.flatMap((variable) => {
      const why = isElsewhere ? elsewhere : unreachable(allowed, variable);
      return why === undefined ? [] : [tell(variable, why)];
    }),
  ];
}

const noRoom = `is not used: the secrets of a session's variables have ${vaultLimits.variableBytesPerSession} bytes together at most. Take some out of its vaults.`;
const elsewhere =
  "is not given to sandboxes of a self-hosted environment: they are not behind the network of this server. Set the variable where the worker runs.";

function unreachable(policy: NetworkPolicy, { networking }: Variable): string | undefined {
  const hosts = networking.type === "limited" ? networking.allowed_hosts : undefined;
  if (mayReach(policy, hosts)) return undefined;
  const which = hosts === undefined ? "any host" : hosts.join(", ") || "no host";
  return `is for ${which}, and the environment allows no connection there. Change networking.allowed_hosts of the environment or of the credential.`;
}

const errorOf = ({ credentialId, vaultId }: Variable, message: string): CredentialError => ({
  type: "credential_host_unreachable_error",
  message,
  credential_id: credentialId,
  vault_id: vaultId,
});
