// The server as the console sees it: the generated client, and short names for its shapes.
import { createClient } from "../../../contract/client.ts";
import { fetchNoting } from "./away.ts";
import type * as contract from "../../../contract/types.ts";

export { ApiError } from "../../../contract/client.ts";

/** The cookie travels by itself: the page comes from the same server. */
const headers: Record<string, string> = {};
export const server = createClient({ baseUrl: "", fetch: fetchNoting, headers });

/** From now on this page asks for this person alone: what one has typed is not sent in the name of the next. */
export function speakFor(userId: string): void {
  headers["plinth-person"] = userId;
}
export const api = server.console;

export type Me = contract.ConsoleMeReply;
export type Key = contract.Key;
export type KeyKind = Key["kind"];
export type KeyStatus = Key["status"];
export type NewKey = contract.ConsoleKeysCreateBody;
export type CreatedKey = contract.ConsoleKeysCreateReply;
export type KeyChange = contract.ConsoleKeysUpdateBody;
export type Scope = NonNullable<NewKey["scopes"]>[number];
export type AuditEntry = contract.AuditEvent;
export type FoundObject = contract.FoundObject;
export type LoggedRequest = contract.LoggedRequest;
export type RequestsQuery = contract.RequestsListQuery;
export type Passkey = contract.Passkey;
export type MyWays = contract.ConsolePasskeysListReply;
export type SingleSignOn = contract.ConsoleSingleSignOnReadReply;
export type Connection = contract.SignOnConnection;
export type NewConnection = contract.ConsoleSingleSignOnSetBody;
export type SignInMethods = contract.ConsoleSignInMethodsReply;
export type Stranger = contract.ConsoleSingleSignOnStrangersReply["data"][number];
export type SignIn = contract.ConsoleSignInsListReply["data"][number];
export type ProgramSignIn = contract.ProgramSignIn;
export type Overview = contract.ConsoleOverviewReply;
export type ModelInfo = contract.ModelsListReply["data"][number];
export type ModelEntry = contract.ConsoleModelsListReply["data"][number];
export type NewModel = contract.ConsoleModelsSetBody;
export type Upstream = contract.ConsoleUpstreamsListReply["data"][number];
export type UpstreamHealth = contract.ConsoleUpstreamsHealthReply["data"][number];
export type NewUpstream = contract.ConsoleUpstreamsSetBody;
export type TestedUpstream = contract.ConsoleUpstreamsTestReply;
export type RateLimit = contract.ConsoleRateLimitsListReply["data"][number];
export type Limiter = RateLimit["limits"][number];
export type SpendLimit = contract.ConsoleSpendLimitsListReply["data"][number];
export type SpendSummary = contract.SpendSummary;
export type Period = SpendSummary["period"];
export type IncreaseRequest = contract.SpendLimitIncreaseRequest;
export type Batch = contract.MessageBatch;
export type BatchResult = contract.BatchResult;
export type FileInfo = contract.FileMetadata;
export type BatchTotals = contract.BatchTotals;
export type Outcome = BatchResult["outcome"];
export type Agent = contract.Agent;
export type Environment = contract.Environment;
export type Deployment = contract.Deployment;
export type DeploymentRun = contract.DeploymentRun;
export type RefusedConnection = contract.RefusedConnection;
export type PackageLayer = contract.PackageLayer;
export type EnvironmentKey = contract.EnvironmentKey;
export type Work = contract.Work;
export type Vault = contract.Vault;
export type VaultCredential = contract.VaultCredential;
export type CredentialValidation = contract.VaultCredentialValidation;
export type McpServer = contract.McpServer;
export type McpConnection = contract.McpConnection;
export type McpServerTools = contract.McpServerTools;
export type McpToolResult = contract.McpToolResult;
export type Skill = contract.Skill;
export type SkillVersion = contract.SkillVersion;
export type Session = contract.Session;
export type MountedRepository = contract.SessionMountedRepository;
export type SandboxFacts = contract.SandboxFacts;
export type WorkspaceEntry = contract.WorkspaceDirectory["entries"][number];
export type SessionEvent = contract.SessionEvent;
export type WaitingSession = contract.WaitingSession;
export type SessionThread = contract.SessionThread;
export type MemoryStore = contract.MemoryStore;
export type Memory = contract.Memory;
export type MemoryVersion = contract.MemoryVersion;
export type MemoryMatch = contract.MemoryMatch;
export type Lifecycle = ModelInfo["lifecycle"];
export type Member = contract.Member;
export type MemberWithUse = contract.ConsoleMembersRetrieveReply;
export type Role = Member["role"];
export type Invite = contract.ConsoleInvite;
export type InviteStatus = "pending" | "accepted" | "expired";
export type InviteWithLink = contract.ConsoleInvitesCreateReply;
export type SeatTier = contract.ConsoleSeatsListReply["tiers"][number];
export type NewSeatTier = contract.ConsoleSeatsSetBody["tiers"][number];
