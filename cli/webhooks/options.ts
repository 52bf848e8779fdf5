// Options of the `plinth webhooks` commands, as commander hands them over.
import type { Flags } from "../options.ts";

export interface WhoseFlags extends Flags {
  organization?: boolean;
}

export interface WebhookFlags extends WhoseFlags {
  address?: string;
  events?: string[];
  name?: string;
  description?: string;
  enable?: boolean;
  disable?: boolean;
}

export interface TestFlags extends Flags {
  event?: string;
}
