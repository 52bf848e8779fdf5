// The process that the chaos of money kills: one server on a shared database, ended by its stdin.
import { openLogger } from "../../kernel/observe/logger.ts";
import { type ConnectionSettings } from "../../kernel/sql/connection.ts";
import { openPool } from "../../kernel/sql/database.ts";
import { serveInProcess, type RunningServer } from "../../server/serve.ts";

export interface ServerFacts {
  connection: ConnectionSettings;
  dataDirectory: string;
  sections: Readonly<Record<string, unknown>>;
}

const connectionsMax = 6;

/** Warnings and errors go to `write`. */
export async function serveShared(
  { connection, dataDirectory, sections }: ServerFacts,
  write: (line: string) => void,
): Promise<RunningServer> {
  const logging = { format: "json", level: "warn" } as const;
  const logger = openLogger({ ...logging, destination: { write } });
  const db = openPool({ connection, connectionsMax, logger });
  const server = await serveInProcess(
    {
      dataDirectory,
      host: "127.0.0.1",
      port: 0,
      publicUrl: undefined,
      databaseUrl: undefined,
      masterKey: undefined,
      metricsToken: null,
      workers: 1,
      drainSeconds: 5,
      proxies: 0,
      logging,
      logger,
    },
    { kind: "external", serverVersion: "test", connection, db },
    { sections },
  );
  const stop = async () => {
    await server.stop();
    await db.close();
  };
  return { ...server, stop };
}

if (import.meta.main) {
  const facts = JSON.parse(process.argv[2] ?? "{}") as ServerFacts;
  const server = await serveShared(facts, (line) => void process.stderr.write(line));
  process.stdout.write(`${server.url}\n`);
  // The process that started it may be killed as well.
  process.stdin.resume().once("end", () => void server.stop().then(() => process.exit(0)));
}
