// The face of the overview.
export { routes } from "./routes.ts";
