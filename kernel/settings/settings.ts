// The settings of the server: one table, from which the file, the environment, the flags and the
// help follow.
import { resolve } from "node:path";
import { logFormats, logLevels } from "../observe/logger.ts";
import {
  choice,
  defineSettings,
  envNameOf,
  fileNameOf,
  flagNameOf,
  integer,
  list,
  optionalText,
  text,
  type SettingsOf,
  type SettingsTable,
} from "./define.ts";

export const settingsTable = defineSettings({
  dataDir: text({
    describe:
      "Where everything is kept that is not in the database: files, keys, the built-in database.",
    must: "a path",
    read: (path, { directory }) =>
      path.trim() === "" || path.includes("\0") ? undefined : resolve(directory, path),
    fallback: ({ home }) => resolve(home, "data"),
    fallbackText: "data, beside the program",
  }),
  host: text({
    describe: "The address to listen at; 0.0.0.0 for all of the machine's.",
    must: "a host name or an IP address",
    read: (host) => (/^[A-Za-z0-9.:_%-]{1,255}$/.test(host) ? host : undefined),
    fallback: () => "127.0.0.1",
    fallbackText: "127.0.0.1",
  }),
  port: integer({
    describe: "The port to listen at; 0 takes any free one.",
    min: 0,
    max: 65_535,
    fallback: 8787,
  }),
  workers: integer({
    describe:
      "How many processes serve requests; 0 for one with the built-in database and one per processor core with another.",
    min: 0,
    max: 256,
    fallback: 0,
  }),
  log: choice({
    describe: "How the log is written.",
    of: logFormats,
    fallback: ({ terminal }) => (terminal ? "pretty" : "json"),
    fallbackText: "pretty on a terminal, json elsewhere",
  }),
  logLevel: choice({
    describe: "The least weight that is logged.",
    of: logLevels,
    fallback: "info",
  }),
  publicUrl: optionalText({
    describe:
      "The address that people and programs reach the server at, where it is not host and port.",
    must: "an http or https address without user name, password, query or fragment",
    read: readAddress,
  }),
  peerAddress: optionalText({
    describe:
      "The address at which the other machines of this server reach this one, and no load balancer: what need not last travels straight between them. Only with a database_url that they share.",
    must: "an http or https address without user name, password, query or fragment",
    read: readAddress,
  }),
  databaseUrl: optionalText({
    describe: "The Postgres to use; without one the server runs its own in the data directory.",
    must: "a postgres:// address",
    read: (url) => (/^postgres(ql)?:\/\/./.test(url) && URL.canParse(url) ? url : undefined),
    secret: true,
    alsoEnv: ["DATABASE_URL"],
  }),
  upstream: optionalText({
    describe:
      "The address of a model server, asked at the start which wire it speaks; more of them, and keys, belong in the settings file or the console.",
    must: "an http or https address without user name, password, query or fragment",
    read: readAddress,
    sources: ["file", "environment"],
  }),
  upstreamModel: optionalText({
    describe:
      "The model of that server which claude-… names lead to; needed where the server lists none, else the first of its list.",
    must: "a model's name without spaces and *",
    read: (name) => (/^[^\s*]{1,256}$/.test(name) ? name : undefined),
    sources: ["file", "environment"],
  }),
  masterKey: optionalText({
    describe:
      "The key that encrypts stored secrets, instead of master-keys.json in the data directory.",
    must: "32 bytes as base64 or hex, or several id:key with commas between",
    read: (key) => key, // its own module says more precisely what is wrong with one
    secret: true,
    sources: ["environment"],
  }),
  metricsToken: optionalText({
    describe: "The bearer token that /metrics asks for.",
    must: "at least 16 characters without spaces",
    read: (token) => (/^[\x21-\x7e]{16,1024}$/.test(token) ? token : undefined),
    secret: true,
    sources: ["file", "environment"], // a command line is read by every user of the machine
  }),
  otlpEndpoint: optionalText({
    describe:
      "The address of a collector of traces that takes OTLP over HTTP as JSON, without /v1/traces; without one there are none.",
    must: "an http or https address without user name, password, query or fragment",
    read: readAddress,
    sources: ["file", "environment"],
    alsoEnv: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
  }),
  otlpHeaders: optionalText({
    describe: "Headers for that collector: name=value pairs with commas between.",
    must: "name=value pairs with commas between, values as in an address",
    read: readHeaderPairs,
    secret: true,
    sources: ["file", "environment"],
    alsoEnv: ["OTEL_EXPORTER_OTLP_HEADERS"],
  }),
  otlpServiceName: text({
    describe: "What this server is called in traces.",
    must: "1 to 255 characters in one line",
    read: (name) => (/^[^\r\n]{1,255}$/.test(name) ? name : undefined),
    fallback: () => "plinth",
    fallbackText: "plinth",
    sources: ["file", "environment"],
    alsoEnv: ["OTEL_SERVICE_NAME"],
  }),
  traceHeadersTo: list({
    describe:
      "The names of upstreams that get a traceparent header with each request, with commas between.",
    must: "names of upstreams",
    read: (name) => (/^[^\s,]{1,256}$/.test(name) ? name : undefined),
    max: 100,
    sources: ["file", "environment"],
  }),
  mailPassword: optionalText({
    describe: "The password at the mail server that the section mail of the settings file names.",
    must: "one line of text",
    read: (password) => (/^[^\r\n]{1,320}$/.test(password) ? password : undefined),
    secret: true,
    sources: ["environment"],
  }),
  webSearchKey: optionalText({
    describe: "The key of the search server that the section web of the settings file names.",
    must: "1 to 1,024 characters without spaces",
    read: (key) => (/^[\x21-\x7e]{1,1024}$/.test(key) ? key : undefined),
    secret: true,
    sources: ["environment"],
  }),
  auditExportSecret: optionalText({
    describe:
      "What the export of the audit log sends in the header that the section audit_export of the settings file names, whole: Bearer and a token, for one.",
    must: "1 to 4,096 characters of ASCII on one line, without a space at either end",
    read: (value) => (/^(?! )[\x20-\x7e]{1,4096}(?<! )$/.test(value) ? value : undefined),
    secret: true,
    sources: ["environment"],
  }),
  proxies: integer({
    describe:
      "How many reverse proxies stand in front; the caller's address is read from X-Forwarded-For, so many from its end.",
    min: 0,
    max: 10,
    fallback: 0,
  }),
  corsOrigins: list({
    describe:
      "The origins of pages that may use the API from a browser, such as https://app.example.com, with commas between; * for all. Their visitors can read the key that such a page sends.",
    must: "origins without a path, such as https://app.example.com, or *",
    read: readOrigin,
    max: 100,
  }),
  lameDuckSeconds: integer({
    describe:
      "How long the server still takes requests after SIGTERM, not ready any more and closing each connection with its answer, so that load balancers and clients go elsewhere; Ctrl-C skips it.",
    min: 0,
    max: 3_600,
    fallback: 2,
  }),
  drainSeconds: integer({
    describe: "How long open requests may still run after the server was told to stop.",
    min: 0,
    max: 3_600,
    fallback: 30,
  }),
});

export type Settings = SettingsOf<typeof settingsTable>;

function readAddress(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const { protocol, search, hash, username, password, origin, pathname } = new URL(value);
  const isPlain = search === "" && hash === "" && username === "" && password === "";
  return /^https?:$/.test(protocol) && isPlain
    ? (origin + pathname).replace(/\/+$/, "")
    : undefined;
}

/** As OTEL_EXPORTER_OTLP_HEADERS has them. */
function readHeaderPairs(value: string): string | undefined {
  const isPair = (pair: string) => {
    const [, text] = /^\s*[\w!#$%&'*+.^`|~-]+=([\x21-\x7e]*)\s*$/.exec(pair) ?? [];
    try {
      return text !== undefined && /^[\x20-\x7e]*$/.test(decodeURIComponent(text));
    } catch {
      return false;
    }
  };
  return value.split(",").every(isPair) ? value : undefined;
}

/** As a browser names it in the header Origin; apps have schemes of their own. */
function readOrigin(origin: string): string | undefined {
  if (origin === "*") return origin;
  if (/^https?:/.test(origin))
    return URL.canParse(origin) && new URL(origin).origin === origin ? origin : undefined;
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+$/.test(origin) ? origin : undefined;
}

export interface SettingDescription {
  name: string;
  describe: string;
  must: string;
  fallback: string;
  /** Undefined where it cannot be set there. */
  file?: string;
  env?: string[];
  flag?: string;
  secret: boolean;
}

/** For the documentation and for `--help`. */
export function describeSettings(table: SettingsTable = settingsTable): SettingDescription[] {
  return Object.entries(table).map(([key, setting]) => ({
    name: fileNameOf(key),
    describe: setting.describe,
    must: setting.must,
    fallback: setting.fallbackText,
    ...(setting.sources.includes("file") && { file: fileNameOf(key) }),
    ...(setting.sources.includes("environment") && {
      env: [envNameOf(key), ...setting.alsoEnv],
    }),
    ...(setting.sources.includes("flag") && { flag: flagNameOf(key) }),
    secret: setting.secret,
  }));
}
