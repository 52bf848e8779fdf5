// Options of the `plinth webhooks` commands, as commander hands them over.
import type { Flags } from "../options.ts";

export interface WebhookFlags extends Flags {
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
