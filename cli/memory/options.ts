// Options of the `plinth memory` commands, as commander hands them over.

export interface Flags {
  json?: boolean;
  quiet?: boolean;
  url?: string;
}

export interface LsFlags extends Flags {
  long?: boolean;
  recursive?: boolean;
  all?: boolean;
}

export interface GetFlags extends Flags {
  out?: string;
  version?: string;
}

export interface PutFlags extends Flags {
  create?: boolean;
  expect?: string;
  all?: boolean;
}

export interface CreateFlags extends Flags {
  description?: string;
}

export interface RmFlags extends Flags {
  recursive?: boolean;
  store?: boolean;
  yes?: boolean;
}

export interface LogFlags extends Flags {
  ids?: boolean;
  limit: number;
}

export interface DiffFlags extends Flags {
  context: number;
  file?: string;
  exitCode?: boolean;
}

export interface RedactFlags extends Flags {
  reason?: string;
  yes?: boolean;
}

export interface ExportFlags extends Flags {
  out?: string;
}

export interface ImportFlags extends Flags {
  name?: string;
  description?: string;
}
