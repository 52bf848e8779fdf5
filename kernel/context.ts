// What the world looks like from inside a service: everything it may reach comes in through here.
import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "./base/clock.ts";
import type { Ids } from "./base/ids.ts";
import type { Logger } from "./base/logger.ts";
import type { Random } from "./base/random.ts";
import type { RequestNotes } from "./base/request-notes.ts";
import type { TxtLookup } from "./base/dns-txt.ts";
import type { Blobs } from "./blob/blobs.ts";
import type { SegmentOptions } from "./blob/segments.ts";
import type { OutsideConnections } from "./http/outside/connections.ts";
import type { Instruments } from "./observe/instruments.ts";
import type { Metrics } from "./observe/metrics.ts";
import type { Peers } from "./observe/peers.ts";
import type { Passwords } from "./secret/passwords.ts";
import type { Secrets } from "./secret/secrets.ts";
import type { Database } from "./sql/database.ts";
import type { Hints } from "./sql/hints.ts";

/** One per process. Jobs and schedules run with this alone. */
export interface World {
  clock: Clock;
  random: Random;
  ids: Ids;
  logger: Logger;
  db: Database;
  hints: Hints;
  blobs: Blobs;
  /** What this server keeps on its machine lies in it. */
  dataDirectory: string;
  /** Where segments that are not sealed into blobs yet grow. */
  segmentOptions: SegmentOptions;
  /** Where the bus of this machine has its sockets, and the address at which other machines reach it, if they do. */
  busOptions: { directory: string; address: string | null };
  secrets: Secrets;
  passwords: Passwords;
  /** Asks the domain name system. */
  lookUpTxt: TxtLookup;
  /** Connections to addresses that clients chose. */
  outside: OutsideConnections;
  metrics: Metrics;
  instruments: Instruments;
  /** The other processes of this server. */
  peers: Peers;
  server: ServerFacts;
  /** The address that people and programs reach this server at, without a slash at the end. */
  publicUrl: string;
  /** Parts of the settings that belong to nouns, by name: each noun knows the shape of its own. */
  sections?: Readonly<Record<string, unknown>>;
}

/** What a process knows of the server that it belongs to. */
export interface ServerFacts {
  version: string;
  startedAt: Date;
  database: { kind: "embedded" | "external"; version: string };
  workers: number;
  /** How many reverse proxies stand in front, whose headers are believed. */
  proxies: number;
  /** The server is being stopped, from the lame-duck phase on. */
  isDraining: boolean;
  /** The drain's time is over: this server, not its clients, ends what is still open. */
  isDrainOver: boolean;
  /** What /metrics wants as a bearer; null when it is open. */
  metricsToken: string | null;
}

export type CredentialKind =
  | "api_key"
  | "admin_key"
  | "oauth_token"
  | "environment_key"
  | "session_token"
  | "scim_token"
  | "console";

export type OrganizationType = "platform" | "enterprise" | "platform_cloud";

/** The caller that a request speaks for, after the credential was checked. */
export interface Principal {
  kind: CredentialKind;
  /** The key, token or console session; what the audit log names. */
  credentialId: string;
  organizationId: string;
  organizationType: OrganizationType;
  /** Null for credentials that stand above workspaces. */
  workspaceId: string | null;
  userId: string | null;
  /** Who made the key, where it is one. */
  keyMakerId?: string;
  /** The workload that the token is of, where it is no person's. */
  serviceAccountId?: string;
  /** What people call it: the name of the key or of the person. */
  name: string;
  permissions: ReadonlySet<string>;
  /** The credential is for this alone, and refused everywhere else; not named for all others. */
  resource?: "mcp";
  /** A scope of the token gives nothing any more: its holder has lost the role that it asks for. */
  lapsedScope?: string;
  /** Only the roles of their groups give permissions; a role in a workspace says where these hold. */
  isManaged?: true;
  /** The models they may use; every one when not named. */
  models?: ReadonlySet<string>;
  /** It is a program that runs tools elsewhere, and reaches this and nothing else. */
  worker?: WorkerReach;
}

/** What a worker's credential is for: an environment, or one piece of its work. */
export interface WorkerReach {
  environmentId: string;
  /** Null where the work is none of a session; not named where it may be of any in the environment. */
  sessionId?: string | null;
  workId?: string;
  /** Which time the work was handed out. */
  epoch?: number;
  /** The work is over, or another worker has it. */
  isLate?: boolean;
  memoryStores?: ReadonlyMap<string, "read_only" | "read_write">;
}

/** Output words differ by version of the wire; inputs accept both. */
export type Dialect = "2023-06-01" | "2026-10-21";

/** An authenticated caller at work: what services need that know nothing of HTTP. */
export interface Actor extends World {
  who: Principal;
  /** What it does is one request, also where it came by no HTTP. */
  requestId: string;
  notes: RequestNotes;
  betas: ReadonlySet<string>;
  /** Aborts when the caller no longer waits for the result. */
  signal: AbortSignal;
}

/** One per request. */
export interface RequestContext extends World {
  requestId: string;
  notes: RequestNotes;
  dialect: Dialect;
  betas: ReadonlySet<string>;
  /** The caller's address, as the audit log keeps it. */
  address: string;
  userAgent: string;
  headers: IncomingHttpHeaders;
  /** Aborts when the client has gone away or the drain's time is over. */
  signal: AbortSignal;
}

/** A request of an authenticated caller: an actor, and what HTTP adds. */
export interface Context extends RequestContext, Actor {}
