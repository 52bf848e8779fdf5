// Where a database is reached, and how the driver is told.
import type pg from "pg";

export interface ConnectionSettings {
  /** A postgres:// address, or the directory of a unix socket with its database and user. */
  url?: string;
  socketDirectory?: string;
  user?: string;
  database?: string;
}

export function clientConfig(connection: ConnectionSettings): pg.ClientConfig {
  return connection.url === undefined
    ? {
        host: connection.socketDirectory,
        user: connection.user,
        database: connection.database,
      }
    : { connectionString: connection.url, keepAlive: true };
}
