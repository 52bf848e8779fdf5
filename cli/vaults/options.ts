// Options of the `plinth vaults` commands, as commander hands them over.
import type { Flags } from "../options.ts";

export interface VaultFlags extends Flags {
  name?: string;
  metadata?: Record<string, string>;
}

export interface CredentialFlags extends VaultFlags {
  file?: string;
  secretFile?: string;
  hosts?: string[];
}

export interface AddFlags extends CredentialFlags {
  bearer?: string;
  oauth?: string;
  variable?: string;
}

export interface CredentialId {
  vault: string;
  id: string;
}
