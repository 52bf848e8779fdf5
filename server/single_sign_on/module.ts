// The face of single sign-on. It stands above server/members and server/sign_on.
export { routes } from "./routes.ts";
