// The face of the search for objects. It stands above all nouns whose objects are found.
export { objectRoutes } from "./routes.ts";
