// The face of deployments.
export { fireDue, firingPart } from "./firing.ts";
export { routes } from "./routes.ts";
export { deploymentsSection } from "./settings.ts";
