// Routes of passkeys: open ones to sign in with, and a person's own.
import { openRoute, route } from "../../kernel/http/route.ts";
import { SignedIn } from "../identity/module.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";
import * as signIns from "./sign-in.ts";

const mine = { permission: "console:use", credentials: ["console"] } as const;

export const routes = [
  openRoute({
    operation: "console.passkey_sign_in_options",
    method: "POST",
    path: "/console/api/passkey_sign_in_options",
    summary:
      "What to ask a passkey in order to sign in: any, or one of the person whose password was right.",
    body: schema.SignInOptions,
    errors: [401],
    reply: schema.Options,
    handle: (context, { body }) => signIns.signInOptions(context, body.ticket),
  }),
  openRoute({
    operation: "console.passkey_sign_in",
    method: "POST",
    path: "/console/api/passkey_sign_in",
    summary: "Signs in with a passkey, alone or after the password.",
    body: schema.PasskeySignIn,
    errors: [401],
    reply: SignedIn,
    handle: (context, { body }) => signIns.signIn(context, body),
  }),
  route({
    ...mine,
    operation: "console.passkeys.list",
    method: "GET",
    path: "/console/api/passkeys",
    summary: "The person's passkeys, and their other ways in.",
    reply: schema.MyPasskeys,
    handle: (context) => service.myPasskeys(context),
  }),
  route({
    ...mine,
    operation: "console.passkeys.create",
    method: "POST",
    path: "/console/api/passkeys",
    summary: "Registers the passkey that the browser has made.",
    body: schema.CreatePasskey,
    errors: [409],
    reply: schema.Passkey,
    handle: (context, { body }) => service.createPasskey(context, body),
  }),
  route({
    ...mine,
    operation: "console.passkeys.update",
    method: "POST",
    path: "/console/api/passkeys/{passkey_id}",
    summary: "Renames a passkey.",
    params: schema.PasskeyParams,
    body: schema.RenamePasskey,
    reply: schema.Passkey,
    handle: (context, { params, body }) =>
      service.renamePasskey(context, params.passkey_id, body.name),
  }),
  route({
    ...mine,
    operation: "console.passkeys.delete",
    method: "DELETE",
    path: "/console/api/passkeys/{passkey_id}",
    summary: "Removes a passkey; the last one takes the second step with it.",
    params: schema.PasskeyParams,
    reply: schema.PasskeyDeleted,
    handle: (context, { params }) => service.deletePasskey(context, params.passkey_id),
  }),
  route({
    ...mine,
    operation: "console.passkey_options",
    method: "POST",
    path: "/console/api/passkey_options",
    summary: "What the browser needs to make a passkey.",
    reply: schema.Options,
    handle: (context) => service.registrationOptions(context),
  }),
  route({
    ...mine,
    operation: "console.second_step",
    method: "POST",
    path: "/console/api/second_step",
    summary: "Whether a passkey is asked for after the password.",
    body: schema.SecondStep,
    reply: schema.SecondStepSet,
    handle: (context, { body }) => service.setSecondStep(context, body.required),
  }),
  route({
    ...mine,
    operation: "console.proof_options",
    method: "POST",
    path: "/console/api/proof_options",
    summary: "What to ask a passkey in order to prove who sits at the browser.",
    reply: schema.Options,
    handle: (context) => signIns.proofOptions(context),
  }),
  route({
    ...mine,
    operation: "console.prove",
    method: "POST",
    path: "/console/api/proof",
    summary: "Proves with the password or a passkey who sits at the browser, for ten minutes.",
    body: schema.Proof,
    reply: "none",
    handle: (context, { body }) => signIns.prove(context, body),
  }),
];
