// Limits and shapes of SCIM.
import Type, { type Static } from "typebox";

export const limits = {
  /** Items of one list. A page may hold fewer than requested, which the protocol allows. */
  itemsDefault: 100,
  itemsMax: 1000,
  /** Members in one page of groups: as many groups as fit, but one at least. */
  membersPerPageMax: 10_000,
  /** Members of one group, which is read whole. */
  membersReadMax: 200_000,
  /** 10,000 members with their names in one request are about 1.2 MB. */
  bodyBytesMax: 4 * 1024 * 1024,
  operationsMax: 1000,
  membersPerRequestMax: 20_000,
  filterCharactersMax: 2000,
  filterTermsMax: 32,
  /** A person's attributes that have no column. */
  documentBytesMax: 64 * 1024,
  userNameCharactersMax: 320,
  displayNameCharactersMax: 200,
  externalIdCharactersMax: 400,
  /** Two, while one is exchanged for the next. */
  tokensPerOrganizationMax: 2,
  tokenNameCharactersMax: 100,
  requestsKept: 100,
  /** For one organization on one process: requests at once, and how fast that allowance refills. */
  requestsAtOnceMax: 200,
  requestsPerSecond: 50,
  /** How many places of lists one process remembers. */
  pageStartsMax: 1000,
} as const;

export const schemas = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  enterprise: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
  patch: "urn:ietf:params:scim:api:messages:2.0:PatchOp",
  error: "urn:ietf:params:scim:api:messages:2.0:Error",
} as const;

/** JSON of a provider: checked where it is used. */
export type Json = Record<string, unknown>;

/** Open on purpose: providers add parameters of their own to the address. */
export const ListQuery = Type.Object({
  filter: Type.Optional(Type.String()),
  startIndex: Type.Optional(Type.Integer()),
  count: Type.Optional(Type.Integer()),
  attributes: Type.Optional(Type.String()),
  excludedAttributes: Type.Optional(Type.String()),
});
export type ListQuery = Static<typeof ListQuery>;

export const ResourceQuery = Type.Object({
  attributes: Type.Optional(Type.String()),
  excludedAttributes: Type.Optional(Type.String()),
});
export type ResourceQuery = Static<typeof ResourceQuery>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
