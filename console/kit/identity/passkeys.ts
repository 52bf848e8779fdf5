// Passkeys in this browser: made and asked through the browser's own dialogs.
import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import { api } from "../server/api.ts";

type CreationOptions = Parameters<typeof startRegistration>[0]["optionsJSON"];
type RequestOptions = Parameters<typeof startAuthentication>[0]["optionsJSON"];

/** A browser keeps passkeys for the name that it sees in its address bar, or one above it. */
export const isNameHere = (name: string) =>
  window.location.hostname === name || window.location.hostname.endsWith(`.${name}`);

export const hasPasskeys = () => window.PublicKeyCredential !== undefined;

/** The address under which this browser would take a passkey, where that is not the present one. */
export function otherAddress(name: string): string {
  const { protocol, port, pathname } = window.location;
  return `${protocol}//${name}${port === "" ? "" : `:${port}`}${pathname}`;
}

/** What the person did not do in the browser's dialog, in words; undefined for a failure of another kind. */
export function refusalWords(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  switch (error.name) {
    case "InvalidStateError":
      return "This device has a passkey for your account already.";
    case "NotAllowedError":
    case "AbortError":
      return "No passkey was used: the browser's dialog was closed, or waited too long.";
    case "SecurityError":
      return "This browser takes no passkey at this address.";
    default:
      return undefined;
  }
}

export async function makePasskey(): Promise<Awaited<ReturnType<typeof startRegistration>>> {
  const { options } = await api.passkey_options();
  return startRegistration({ optionsJSON: options as unknown as CreationOptions });
}

export async function proveByPasskey(): Promise<void> {
  const { options } = await api.proof_options();
  const optionsJSON = options as unknown as RequestOptions;
  const { id, rawId, type, response } = await startAuthentication({ optionsJSON });
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response;
  const answer = { clientDataJSON, authenticatorData, signature, userHandle };
  await api.prove({ body: { credential: { id, rawId, type, response: answer } } });
}
