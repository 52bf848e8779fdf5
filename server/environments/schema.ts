// Shapes of environments and of their keys.
import Type, { type Static, type TSchema } from "typebox";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { toldFields } from "../../kernel/http/input/told-fields.ts";
import { guaranteeNames } from "../sandboxes/module.ts";
import { limits } from "./limits.ts";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
const Time = Type.String({ format: "date-time" });
const Id = Type.String({ minLength: 1, maxLength: 100 });

export const packageManagers = ["apt", "cargo", "gem", "go", "npm", "pip"] as const;
const forEachManager = <T extends TSchema>(schema: T) => ({
  apt: schema,
  cargo: schema,
  gem: schema,
  go: schema,
  npm: schema,
  pip: schema,
});

const Unrestricted = closed({ type: Type.Literal("unrestricted") });
const SelfHosted = closed({ type: Type.Literal("self_hosted") });

/** What the machine must hold, and what each sandbox may use where that is less than the settings say. */
const sandboxFields = <G extends TSchema>(guarantees: G) => ({
  guarantees,
  processes_max: Type.Optional(Type.Integer({ minimum: 8 })),
  memory_mib: Type.Optional(Type.Integer({ minimum: 64 })),
  cpus: Type.Optional(Type.Number({ minimum: 0.05 })),
  workspace_mib: Type.Optional(Type.Integer({ minimum: 16 })),
  tmp_mib: Type.Optional(Type.Integer({ minimum: 1 })),
});
const Guarantees = Type.Array(Type.Enum(guaranteeNames), { uniqueItems: true });

const CloudConfig = Type.Object({
  type: Type.Literal("cloud"),
  networking: Type.Union([
    Unrestricted,
    Type.Object({
      type: Type.Literal("limited"),
      allowed_hosts: Type.Array(Type.String()),
      allow_mcp_servers: Type.Boolean(),
      allow_package_managers: Type.Boolean(),
    }),
  ]),
  packages: Type.Object({
    type: Type.Literal("packages"),
    ...forEachManager(Type.Array(Type.String())),
  }),
  /** There where something is asked for. */
  sandbox: Type.Optional(Type.Object(sandboxFields(Guarantees))),
});
export type CloudConfig = Static<typeof CloudConfig>;
export type EnvironmentConfig = CloudConfig | Static<typeof SelfHosted>;

export const Environment = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("environment"),
    name: Type.String(),
    description: nullable(Type.String()),
    config: Type.Union([CloudConfig, SelfHosted]),
    metadata: Type.Record(Type.String(), Type.String()),
    /** Every caller of the workspace sees it. */
    scope: Type.Literal("organization"),
    created_at: Time,
    updated_at: Time,
    archived_at: nullable(Time),
  },
  { $id: "Environment" },
);
export type Environment = Static<typeof Environment>;
export const EnvironmentPage = cursorPage(Environment);

const Hosts = Type.Array(Type.String(), { maxItems: limits.allowedHostsMax });
const Packages = Type.Array(Type.String(), { maxItems: limits.packagesMax });

/** What is left out or null stays as it is, and is empty, false or unrestricted in a new environment. */
const CloudParams = closed({
  type: Type.Literal("cloud"),
  networking: optional(
    Type.Union([
      Unrestricted,
      closed({
        type: Type.Literal("limited"),
        allowed_hosts: optional(Hosts),
        allow_mcp_servers: optional(Type.Boolean()),
        allow_package_managers: optional(Type.Boolean()),
      }),
    ]),
  ),
  packages: optional(
    closed({
      type: optional(Type.Literal("packages")),
      ...forEachManager(optional(Packages)),
    }),
  ),
  /** Takes the place of what was asked for before; nothing in it asks for nothing. */
  sandbox: optional(closed(sandboxFields(Type.Optional(Guarantees)))),
});
export type CloudParams = Static<typeof CloudParams>;
const ConfigParams = Type.Union([CloudParams, SelfHosted]);
export type ConfigParams = Static<typeof ConfigParams>;

const Name = Type.String({ minLength: 1 });
const Description = Type.String({ maxLength: limits.descriptionCharactersMax });
const Scope = Type.Enum(["organization", "account"]);

export const CreateEnvironment = closed({
  name: Name,
  description: optional(Description),
  config: optional(ConfigParams),
  metadata: optional(Type.Record(Type.String(), Type.String())),
  scope: optional(Scope),
});
export type CreateEnvironment = Static<typeof CreateEnvironment>;

/** A key of the metadata that is null or empty goes; one that is not named stays. */
export const UpdateEnvironment = closed({
  ...toldFields("environment"),
  name: optional(Name),
  /** Null takes it away. */
  description: optional(Description),
  config: optional(ConfigParams),
  metadata: optional(Type.Record(Type.String(), nullable(Type.String()))),
  scope: optional(Scope),
});
export type UpdateEnvironment = Static<typeof UpdateEnvironment>;

export const EnvironmentParams = closed({ environment_id: Id });
export const EnvironmentQuery = closed({
  ...cursorQuery,
  include_archived: Type.Optional(Type.Boolean()),
});
export type EnvironmentQuery = Static<typeof EnvironmentQuery>;
export const DeletedEnvironment = Type.Object(
  { id: Type.String(), type: Type.Literal("environment_deleted") },
  { $id: "DeletedEnvironment" },
);

const keyFacts = {
  id: Type.String(),
  type: Type.Literal("environment_key"),
  environment_id: Type.String(),
  name: nullable(Type.String()),
  partial_key_hint: Type.String(),
  /** Of the user, the service account or the API key that made it. */
  created_by: Type.String(),
  created_at: Time,
  revoked_at: nullable(Time),
};
export const EnvironmentKey = Type.Object(keyFacts, { $id: "EnvironmentKey" });
export type EnvironmentKey = Static<typeof EnvironmentKey>;
export const NewEnvironmentKey = Type.Object(
  { ...keyFacts, secret: Type.String() },
  { $id: "NewEnvironmentKey" },
);
export const EnvironmentKeyPage = cursorPage(EnvironmentKey);
export const CreateEnvironmentKey = closed({ name: optional(Name) });
export type CreateEnvironmentKey = Static<typeof CreateEnvironmentKey>;
export const EnvironmentKeyParams = closed({ environment_id: Id, environment_key_id: Id });
export const KeyQuery = closed(cursorQuery);
export type KeyQuery = Static<typeof KeyQuery>;
