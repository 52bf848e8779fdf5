// Routes of granted access: what a credential is, and the programs that act in a person's name.
import { route } from "../../../kernel/http/route.ts";
import * as schema from "../schema.ts";
import * as grantedAccess from "./granted-access.ts";

const person = { permission: "console:use", credentials: ["console"] } as const;

export const grantedRoutes = [
  route({
    operation: "oauth.userinfo",
    method: "GET",
    path: "/v1/oauth/userinfo",
    summary: "Whose access token this is, and what it may do.",
    permission: "models:read",
    credentials: ["oauth_token"],
    reply: schema.UserInfo,
    handle: (context) => grantedAccess.userinfo(context),
  }),
  route({
    operation: "credential.retrieve",
    method: "GET",
    path: "/v1/credential",
    summary: "What this key or token is, whose, and what it may do.",
    permission: "models:read",
    credentials: schema.programCredentials,
    alsoCredentials: schema.programCredentials,
    reply: schema.Credential,
    handle: (context) => grantedAccess.retrieveCredential(context),
  }),
  route({
    operation: "console.program_sign_ins.list",
    method: "GET",
    path: "/console/api/program_sign_ins",
    summary: "Lists the programs that may act in the person's name.",
    ...person,
    reply: schema.ProgramSignIns,
    handle: (context) => grantedAccess.programSignIns(context),
  }),
  route({
    operation: "console.program_sign_ins.delete",
    method: "DELETE",
    path: "/console/api/program_sign_ins/{program_sign_in_id}",
    summary: "Ends the access of one of them.",
    ...person,
    params: schema.ProgramSignInParams,
    reply: schema.ProgramSignInDeleted,
    handle: (context, { params }) =>
      grantedAccess.endProgramSignIn(context, params.program_sign_in_id),
  }),
];
