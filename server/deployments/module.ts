// The face of deployments.
export { firingPart } from "./firing.ts";
export { routes } from "./routes.ts";
export { deploymentsSection } from "./settings.ts";
