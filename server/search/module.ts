// The face of the search for objects. It stands below all nouns whose objects are found: they give it their types.
export { objectRoutes } from "./routes.ts";
export type { Searched } from "./service.ts";
export type { Found, HeldType, Searchable, StoredType } from "./searchable.ts";
