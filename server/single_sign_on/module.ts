// The face of single sign-on. It stands above server/members and server/identity_provider.
export { routes } from "./routes.ts";
