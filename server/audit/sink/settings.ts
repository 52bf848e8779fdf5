// What the settings file says of the export of the audit log: where all organizations' events go, as JSON lines.
import { dirname, resolve } from "node:path";
import Type, { type Static } from "typebox";
import { ExitError } from "../../../kernel/base/failure.ts";
import { worded } from "../../../kernel/base/patterns.ts";
import type { World } from "../../../kernel/context.ts";
import { outsideProblem, type NetworkSettings } from "../../../kernel/http/outside/fetch.ts";
import { defineSection } from "../../../kernel/settings/define.ts";
import type { Loaded } from "../../../kernel/settings/load.ts";
import { exportLimits } from "./limits.ts";

const ExportSection = Type.Object(
  {
    /** A path, from the directory of the settings file on. */
    file: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
    /** The header that holds the secret of the environment. */
    header: Type.Optional(
      Type.String(worded("^[A-Za-z0-9-]{1,64}$", "must be the name of a header")),
    ),
    /** For one post; 30 unless it says otherwise. */
    timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 300 })),
    /** Under which it is kept how far the export has come: another name begins with the first event. */
    name: Type.Optional(
      Type.String(worded("^[a-z0-9_-]{1,40}$", "must have 1 to 40 of a-z, 0-9, _ and -")),
    ),
  },
  { additionalProperties: false },
);
type ExportSection = Static<typeof ExportSection>;

export const auditExportSection = defineSection({
  name: "audit_export",
  describe: "A file or an address that is told of the audit logs of all organizations.",
  schema: Type.Union([ExportSection, Type.Null()]),
  fallback: null,
});

export type ExportTarget = { kind: "file"; path: string } | HttpTarget;

export interface HttpTarget {
  kind: "http";
  url: string;
  header: string;
  secret: string | undefined;
  timeoutMs: number;
}

export interface AuditExportSettings {
  name: string;
  target: ExportTarget;
}

/** What a request has of its own. */
const ownHeaders: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "host",
  "transfer-encoding",
  "user-agent",
]);

const usageExitCode = 2;

/** Sentences name neither the address, whose path may be a secret, nor the secret itself. */
export function readAuditExport(
  { section, file: settingsFile = "the settings file" }: Pick<Loaded<unknown>, "section" | "file">,
  secret: string | undefined,
  network: NetworkSettings,
): AuditExportSettings | null {
  const read: ExportSection | null = section(auditExportSection);
  if (read === null) return null;
  const refuse = (words: string) =>
    new ExitError(`The section audit_export of ${settingsFile} ${words}`, usageExitCode);
  const { file, url, header = "authorization", name = "default", timeout_seconds } = read;
  if ((file === undefined) === (url === undefined))
    throw refuse("needs a file or a url, and not both.");
  if (file !== undefined) {
    if (file.includes("\0")) throw refuse("names a file that cannot be.");
    return { name, target: { kind: "file", path: resolve(dirname(settingsFile), file) } };
  }
  const problem = outsideProblem({ sections: { network } }, url ?? "");
  if (problem !== undefined) throw refuse(`has a url that is refused: it ${problem.message}`);
  if (ownHeaders.has(header.toLowerCase()))
    throw refuse(`names the header ${header}, which each request has already.`);
  const timeoutMs = timeout_seconds === undefined ? exportLimits.postMs : timeout_seconds * 1000;
  const there = { url: url ?? "", header: header.toLowerCase(), secret, timeoutMs };
  return { name, target: { kind: "http", ...there } };
}

export const auditExportOf = ({ sections }: Pick<World, "sections">): AuditExportSettings | null =>
  (sections?.["audit_export"] as AuditExportSettings | null | undefined) ?? null;

/** As people read of it: of an address its host alone. */
export const targetInWords = (target: ExportTarget): string =>
  target.kind === "file" ? target.path : new URL(target.url).host;
