// Pages for people whom single sign-on refuses: why, and what to do about it.
import { plainPage } from "../../identity/module.ts";
import type { Reply } from "../../../kernel/http/output/reply.ts";
import type { RefusalReason } from "./identify-person.ts";

type WayEnding = "expired" | "not_yours" | "used" | "changed" | "switched_off" | "provider";
export type SignInFailure = RefusalReason | WayEnding;

interface Facts {
  /** The organization's own sign-in address; null before it is known. */
  again: string | null;
  provider: string;
  organization: string;
  email: string | null;
  /** The provider's error, in a sentence. */
  trouble: string;
}

interface Words {
  title: string;
  text: string;
  status: number;
}

const beginAgain = "Begin again; if it happens once more, tell an owner of your organization.";

/** Rule SSO9: one page for each reason, which says no more than its reader may know. */
const ofTheWay: Record<WayEnding, (facts: Facts & { address: string }) => Words> = {
  expired: () => ({
    title: "This sign-in has expired",
    text: "It took longer than ten minutes, was begun in another browser, or this browser refuses cookies. Begin again.",
    status: 400,
  }),
  not_yours: () => ({
    title: "This answer belongs to another sign-in",
    text: `What came back is not what this browser has asked for. ${beginAgain}`,
    status: 400,
  }),
  used: () => ({
    title: "This sign-in was used already",
    text: "Each answer of the identity provider works once. Begin again.",
    status: 400,
  }),
  changed: () => ({
    title: "The settings have changed meanwhile",
    text: "An owner has changed single sign-on while you were signing in. Begin again.",
    status: 400,
  }),
  switched_off: () => ({
    title: "Single sign-on is off",
    text: "This organization does not sign in by single sign-on. Use your password or a passkey.",
    status: 404,
  }),
  provider: ({ provider, trouble }) => ({
    title: `${provider} has not let you in`,
    text: trouble,
    status: 400,
  }),
};

/** A person whom the provider knows. */
const ofThePerson: Record<RefusalReason, (facts: Facts & { address: string }) => Words> = {
  email_missing: ({ provider, organization }) => ({
    title: "Your e-mail is missing",
    text: `${provider} did not say what your e-mail is. An owner of ${organization} can name the right claim, or say who you are, on the page Sign-in methods.`,
    status: 403,
  }),
  email_unusable: ({ provider, organization }) => ({
    title: "Your e-mail cannot be used",
    text: `What ${provider} says is your e-mail is no address, or holds characters that cannot be shown. Have it put right there, or ask an owner of ${organization} to say who you are on the page Sign-in methods.`,
    status: 403,
  }),
  email_unverified: ({ provider, organization, address }) => ({
    title: "Your e-mail is not verified",
    text: `${provider} does not say that ${address} is yours. Verify it there and try again, or ask an owner of ${organization} to say who you are on the page Sign-in methods.`,
    status: 403,
  }),
  domain_unverified: ({ organization, address }) => ({
    title: "Who you are here has to be confirmed",
    text: `There is a member with ${address}, but its domain is not verified for ${organization}: the e-mail alone does not prove that it is you. An owner can say so on the page Sign-in methods.`,
    status: 403,
  }),
  linked_to_another: ({ provider, organization, address }) => ({
    title: "This e-mail belongs to another account there",
    text: `The member with ${address} signs in with another account of ${provider}. An owner of ${organization} can change that on the page Sign-in methods.`,
    status: 403,
  }),
  not_provisioned: ({ provider, organization, address }) => ({
    title: "You are not a member yet",
    text: `${provider} knows you, but ${organization} here does not. Ask an administrator to invite or provision ${address}.`,
    status: 403,
  }),
  no_seat: ({ organization }) => ({
    title: "No seat is free",
    text: `${organization} has no free seat for you. Ask an administrator to add one, then sign in again.`,
    status: 403,
  }),
  not_invited_domain: ({ organization, address }) => ({
    title: "Your e-mail's domain is not allowed",
    text: `${organization} takes members of its own domains only, and ${address} is of none of them.`,
    status: 403,
  }),
};

const words = { ...ofTheWay, ...ofThePerson };

const escaped: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const html = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => escaped[sign] ?? "");

export function failurePage(ending: SignInFailure, facts: Facts): Reply {
  const { title, text, status } = words[ending]({
    ...facts,
    address: facts.email ?? "your e-mail",
  });
  const again = facts.again ?? "/sign-in";
  return plainPage({
    title: html(title),
    status,
    body: `<h1>${html(title)}</h1>
<p class="message message-error" role="alert">${html(text)}</p>
<p class="actions"><a class="button" href="${html(again)}">Back to sign-in</a></p>`,
  });
}
