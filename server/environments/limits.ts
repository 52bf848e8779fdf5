// Limits of environments.
import { hostCharactersMax } from "../../kernel/base/host-name.ts";

export const limits = {
  nameCharactersMax: 255,
  descriptionCharactersMax: 1_024,
  metadataPairsMax: 16,
  metadataKeyCharactersMax: 64,
  metadataValueCharactersMax: 512,
  allowedHostsMax: 100,
  hostCharactersMax,
  /** Of one package manager. */
  packagesMax: 100,
  packageCharactersMax: 256,
  /** Archived ones count, too. */
  environmentsPerWorkspace: 10_000,
  keyNameCharactersMax: 200,
  /** Of one environment, without those that are revoked. */
  keysPerEnvironment: 100,
} as const;
