// The face of the audit log.
export { routes } from "./routes.ts";
export { actorOf, operator, record, type Actor } from "./service.ts";
