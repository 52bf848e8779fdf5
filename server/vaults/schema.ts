// Shapes of vaults.
import Type, { type Static, type TSchema } from "typebox";
import { limits as baseLimits } from "../../kernel/base/limits.ts";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { toldFields } from "../../kernel/http/input/told-fields.ts";

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
export const Time = Type.String({ format: "date-time" });
export const Id = Type.String({ minLength: 1, maxLength: 100 });
const MetadataValue = Type.String({ maxLength: baseLimits.metadataValueCharactersMax });
export const Metadata = Type.Record(Type.String(), MetadataValue);
/** A key that is null goes; one that is not named stays. */
export const MetadataPatch = Type.Record(Type.String(), nullable(MetadataValue));
export const Name = Type.String({ minLength: 1 });

export const Vault = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("vault"),
    display_name: Type.String(),
    metadata: Type.Record(Type.String(), Type.String()),
    created_at: Time,
    updated_at: Time,
    archived_at: nullable(Time),
  },
  { $id: "Vault" },
);
export type Vault = Static<typeof Vault>;
export const VaultPage = cursorPage(Vault);

export const CreateVault = closed({ display_name: Name, metadata: optional(Metadata) });
export type CreateVault = Static<typeof CreateVault>;

export const UpdateVault = closed({
  ...toldFields("vault"),
  display_name: optional(Name),
  metadata: optional(MetadataPatch),
});
export type UpdateVault = Static<typeof UpdateVault>;

export const VaultParams = closed({ vault_id: Id });
/** Of vaults, and of the credentials of one. */
export const VaultQuery = closed({
  ...cursorQuery,
  include_archived: Type.Optional(Type.Boolean()),
});
export type VaultQuery = Static<typeof VaultQuery>;
export const DeletedVault = Type.Object(
  { id: Type.String(), type: Type.Literal("vault_deleted") },
  { $id: "DeletedVault" },
);
