// From the command line's flags to settings and what is made of them, for every command.
import { availableParallelism } from "node:os";
import { ExitError } from "../../kernel/base/failure.ts";
import type { Logger } from "../../kernel/base/logger.ts";
import { openLogger } from "../../kernel/observe/logger.ts";
import { loadSettings } from "../../kernel/settings/load.ts";
import type { Settings } from "../../kernel/settings/settings.ts";
import { auditExportSection, auditSection, readAuditExport } from "../audit/module.ts";
import { batchesSection } from "../batches/module.ts";
import { filesSection } from "../files/module.ts";
import { limitsSection } from "../limits/module.ts";
import { domainsSection } from "../identity_provider/module.ts";
import { mailSection, readMailSettings } from "../mail/module.ts";
import * as members from "../members/module.ts";
import { mcpSection } from "../mcp_client/module.ts";
import { bridgesSection, readBridges } from "../mcp_bridge/module.ts";
import { endpointSection } from "../mcp_endpoint/module.ts";
import { deploymentsSection } from "../deployments/module.ts";
import { memorySection } from "../memory/module.ts";
import { messagesSection } from "../messages/module.ts";
import * as models from "../models/module.ts";
import { administrationSection } from "../organizations/module.ts";
import * as operations from "../operations/module.ts";
import type { ServeOptions } from "../serve.ts";
import type { TracingSettings } from "../../kernel/observe/tracing/observe.ts";
import { skillsSection } from "../skills/module.ts";
import { environmentsSection } from "../environments/module.ts";
import { sessionsSection } from "../sessions/module.ts";
import { requestsSection } from "../requests/module.ts";
import { sandboxSection } from "../sandboxes/module.ts";
import { readWebSettings, webSection } from "../web_tools/module.ts";

/** As commander gives them: settings among the command's own options. */
export type Flags = Record<string, unknown>;

/** Options of the commands themselves, which are no settings. */
const ownOptions = new Set([
  "config",
  "json",
  "audit",
  "requests",
  "sweep",
  "adoptBlobs",
  "organization",
  "type",
  "email",
]);

/** With the parts of the file that belong to nouns, which have looked at them. */
export type ServerSettings = Settings & {
  file: string | undefined;
  sections: Readonly<Record<string, unknown>>;
};

export function loadServerSettings(flags: Flags): ServerSettings {
  const settings = Object.entries(flags).filter(([name]) => !ownOptions.has(name));
  const loaded = loadSettings({
    file: typeof flags["config"] === "string" ? flags["config"] : undefined,
    env: process.env,
    flags: Object.fromEntries(settings),
    sections: [
      ...models.sections,
      limitsSection,
      batchesSection,
      memorySection,
      messagesSection,
      filesSection,
      skillsSection,
      sandboxSection,
      sessionsSection,
      deploymentsSection,
      environmentsSection,
      administrationSection,
      auditSection,
      requestsSection,
      auditExportSection,
      operations.networkSection,
      domainsSection,
      members.membersSection,
      mailSection,
      webSection,
      mcpSection,
      endpointSection,
      bridgesSection,
    ],
  });
  const modelSettings = models.readModelSettings(loaded);
  // In front of a named server only a start can tell: it asks which models are there.
  if (loaded.settings.upstream === undefined)
    models.expectConsistentModels(modelSettings, loaded.file);
  const network = operations.readNetworkSettings(loaded);
  const sections = {
    models: modelSettings,
    limits: loaded.section(limitsSection),
    batches: loaded.section(batchesSection),
    memory: loaded.section(memorySection),
    messages: loaded.section(messagesSection),
    files: loaded.section(filesSection),
    skills: loaded.section(skillsSection),
    sandbox: loaded.section(sandboxSection),
    sessions: loaded.section(sessionsSection),
    deployments: loaded.section(deploymentsSection),
    environments: loaded.section(environmentsSection),
    audit: loaded.section(auditSection),
    requests: loaded.section(requestsSection),
    audit_export: readAuditExport(loaded, loaded.settings.auditExportSecret, network),
    administration: loaded.section(administrationSection),
    network,
    email_domains: loaded.section(domainsSection),
    members: loaded.section(members.membersSection),
    mail: readMailSettings(loaded, loaded.settings.mailPassword),
    web: readWebSettings(loaded, loaded.settings.webSearchKey),
    mcp: loaded.section(mcpSection),
    mcp_endpoint: loaded.section(endpointSection),
    mcp_bridges: readBridges(loaded),
  };
  return { ...loaded.settings, file: loaded.file, sections };
}

/** The same with the models of the server that the setting `upstream` names. */
export async function withUpstream(
  settings: ServerSettings,
  logger: Logger,
): Promise<ServerSettings> {
  const upstream = await askUpstream(settings);
  if (upstream === undefined) return settings;
  logger.info({ detail: upstream.detail }, "the upstream was found");
  for (const warning of upstream.found.usual?.warnings ?? []) logger.warn({}, warning);
  return { ...settings, sections: { ...settings.sections, models: upstream.found } };
}

/** What the server that the setting `upstream` names has, with the models of the file. */
export async function askUpstream(settings: ServerSettings) {
  const { upstream, upstreamModel, file } = settings;
  if (upstream === undefined) {
    if (upstreamModel === undefined) return undefined;
    throw new ExitError(
      "The setting upstream_model names a model of the setting upstream, which is not given.",
      2,
    );
  }
  const modelSettings = settings.sections["models"] as models.ModelSettings;
  const { settings: found, detail } = await models.withSingleUpstream(
    modelSettings,
    upstream,
    upstreamModel,
    file,
  );
  return { found, detail };
}

export function serveOptionsOf(
  settings: ServerSettings,
  logger: Logger = loggerOf(settings),
): ServeOptions {
  return {
    dataDirectory: settings.dataDir,
    host: settings.host,
    port: settings.port,
    publicUrl: settings.publicUrl,
    peerAddress: settings.peerAddress,
    databaseUrl: settings.databaseUrl,
    masterKey: settings.masterKey,
    metricsToken: settings.metricsToken ?? null,
    tracing: tracingOf(settings),
    workers: settings.workers === 0 ? ownChoice(settings) : settings.workers,
    drainSeconds: settings.drainSeconds,
    sections: settings.sections,
    proxies: settings.proxies,
    corsOrigins: settings.corsOrigins,
    logging: { format: settings.log, level: settings.logLevel },
    logger,
  };
}

function tracingOf(settings: Settings): TracingSettings | null {
  const { otlpEndpoint: endpoint, otlpHeaders = "", otlpServiceName, traceHeadersTo } = settings;
  if (endpoint === undefined) return null;
  const pairs = otlpHeaders === "" ? [] : otlpHeaders.split(",").map((pair) => pair.split("="));
  const headers = Object.fromEntries(
    pairs.map(([name = "", ...value]) => [
      name.trim().toLowerCase(),
      decodeURIComponent(value.join("=").trim()),
    ]),
  );
  return { endpoint, headers, serviceName: otlpServiceName, sendTo: traceHeadersTo };
}

/** The built-in database shares the machine with the server: a second process gains little beside it. */
const ownChoice = ({ databaseUrl }: Settings) =>
  databaseUrl === undefined ? 1 : Math.min(availableParallelism(), 256);

export const loggerOf = ({ log, logLevel }: Settings, level = logLevel) =>
  openLogger({ format: log, level });
