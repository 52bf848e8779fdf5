// The face of passkeys.
export { routes } from "./routes.ts";
