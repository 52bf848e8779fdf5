// The face of deployments.
export { fireDue, firingPart } from "./runs/firing.ts";
export { routes } from "./routes.ts";
export { deploymentsSection } from "./runs/settings.ts";
export { tokensContext as deploymentTokensContext } from "./content.ts";
export { searchables } from "./found/queries.ts";
