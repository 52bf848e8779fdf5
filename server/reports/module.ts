// The face of reports.
export { routes } from "./routes.ts";
