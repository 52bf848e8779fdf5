// What this SCIM server supports, and what its resources look like: for providers that ask before they start.
import { notFound } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import { limits } from "./limits.ts";
import { schemas, type Json } from "./schema.ts";
import { listResponse } from "./wire.ts";

const off = { supported: false };

export const serviceProviderConfig = ({ publicUrl }: Context): Json => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  patch: { supported: true },
  bulk: { ...off, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: limits.itemsMax },
  changePassword: off,
  sort: off,
  etag: off,
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "A token that an owner makes in the console, on the page SCIM.",
      primary: true,
    },
  ],
  meta: {
    resourceType: "ServiceProviderConfig",
    location: `${publicUrl}/scim/v2/ServiceProviderConfig`,
  },
});

interface Kind {
  id: string;
  schema: string;
  description: string;
  schemaExtensions?: { schema: string; required: boolean }[];
}

const kinds: readonly Kind[] = [
  {
    id: "User",
    schema: schemas.user,
    description: "A person of the organization.",
    schemaExtensions: [{ schema: schemas.enterprise, required: false }],
  },
  { id: "Group", schema: schemas.group, description: "A group of people." },
];

/** Only enterprise organizations have groups. */
const kindsOf = ({ who }: Context) =>
  kinds.filter(({ id }) => id !== "Group" || who.organizationType === "enterprise");

const toKind = ({ publicUrl }: Context, kind: Kind): Json => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
  name: kind.id,
  endpoint: `/${kind.id}s`,
  ...kind,
  meta: {
    resourceType: "ResourceType",
    location: `${publicUrl}/scim/v2/ResourceTypes/${kind.id}`,
  },
});

export function resourceTypes(context: Context) {
  const found = kindsOf(context).map((kind) => toKind(context, kind));
  return listResponse(found, { total: found.length, startIndex: 1 });
}

export function resourceType(context: Context, id: string): Json {
  const kind = kindsOf(context).find((one) => one.id === id);
  if (kind === undefined) throw notFound("resource type", id);
  return toKind(context, kind);
}

interface More {
  type?: "string" | "boolean" | "complex" | "reference";
  multiValued?: boolean;
  required?: boolean;
  uniqueness?: "none" | "server";
  mutability?: "readWrite" | "readOnly";
  subAttributes?: Json[];
}

const attribute = (name: string, description: string, more: More = {}): Json => ({
  name,
  type: "string",
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...more,
});

const listed = (name: string, description: string, subAttributes: Json[], more: More = {}) =>
  attribute(name, description, { type: "complex", multiValued: true, subAttributes, ...more });

const userAttributes = [
  attribute("userName", "What the person is called by the provider: unique, in any case.", {
    required: true,
    uniqueness: "server",
  }),
  attribute("displayName", "What people see; formed of the name where it is missing."),
  attribute("name", "The parts of the name.", {
    type: "complex",
    subAttributes: [
      attribute("formatted", "All of it."),
      attribute("givenName", "The first name."),
      attribute("familyName", "The last name."),
    ],
  }),
  attribute("active", "Whether the person is a member. False ends every sign-in at once.", {
    type: "boolean",
  }),
  listed("emails", "The primary one, else that of work, else the first is the address here.", [
    attribute("value", "The address."),
    attribute("type", "Such as work."),
    attribute("primary", "Whether it is the one.", { type: "boolean" }),
  ]),
  listed("roles", "The role in the organization, where the provider controls roles.", [
    attribute("value", "Such as developer."),
    attribute("primary", "Whether it is the one.", { type: "boolean" }),
  ]),
  listed(
    "groups",
    "The groups of the provider that the person is in.",
    [attribute("value", "The id."), attribute("display", "The name.")],
    { mutability: "readOnly" },
  ),
];

const groupAttributes = [
  attribute("displayName", "The name of the group.", { required: true }),
  listed("members", "The people in it.", [
    attribute("value", "The id of a user."),
    attribute("display", "What the person is called.", { mutability: "readOnly" }),
    attribute("$ref", "Where the person is.", { type: "reference", mutability: "readOnly" }),
  ]),
];

const enterpriseAttributes = ["employeeNumber", "costCenter", "organization", "division"]
  .concat("department")
  .map((name) => attribute(name, "Kept, and given back."))
  .concat(
    attribute("manager", "Kept, and given back.", {
      type: "complex",
      subAttributes: [attribute("value", "The id of the manager.")],
    }),
  );

const described = [
  { id: schemas.user, name: "User", attributes: userAttributes },
  { id: schemas.enterprise, name: "EnterpriseUser", attributes: enterpriseAttributes },
  { id: schemas.group, name: "Group", attributes: groupAttributes },
];

const toSchema = ({ publicUrl }: Context, schema: (typeof described)[number]): Json => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
  ...schema,
  meta: { resourceType: "Schema", location: `${publicUrl}/scim/v2/Schemas/${schema.id}` },
});

const describedFor = ({ who }: Context) =>
  described.filter(({ name }) => name !== "Group" || who.organizationType === "enterprise");

export function schemaList(context: Context) {
  const found = describedFor(context).map((schema) => toSchema(context, schema));
  return listResponse(found, { total: found.length, startIndex: 1 });
}

export function schemaOf(context: Context, id: string): Json {
  const schema = describedFor(context).find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (schema === undefined) throw notFound("schema", id);
  return toSchema(context, schema);
}
