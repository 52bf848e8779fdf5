// Words that the schemas of agents share.
import Type, { type TSchema } from "typebox";
import { limits } from "../limits.ts";

export const optional = Type.Optional;
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Id = Type.String({ minLength: 1, maxLength: limits.idCharactersMax });
export const ModelName = Type.String({ minLength: 1, maxLength: limits.modelCharactersMax });
export const VersionNumber = Type.Integer({ minimum: 1, maximum: limits.versionMax });
