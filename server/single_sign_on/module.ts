// The face of single sign-on. It stands above server/members and server/identity_provider.
export { secretContext as connectionContext } from "./provider_sign_in/flow.ts";
export { routes } from "./routes.ts";
