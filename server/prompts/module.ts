// The face of prompts.
export { routes } from "./routes.ts";
