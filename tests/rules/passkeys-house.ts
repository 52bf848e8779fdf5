// What the tests of passkeys share: a person who registers them, and signs in with them.
import assert from "node:assert/strict";
import type { House, Tenant } from "../house.ts";
import { makeAuthenticator, type Credential, type Deviation } from "./authenticator.ts";

const console = "/console/api";

export function passkeysOf(house: House) {
  // Browsers keep passkeys for names: on this machine itself that is localhost.
  const origin = `http://localhost:${new URL(house.url).port}`;
  const authenticator = makeAuthenticator(origin);
  const post = (path: string, body?: unknown, cookie?: string) =>
    house.ask("POST", `${console}/${path}`, {
      ...(body !== undefined && { body }),
      ...(cookie !== undefined && { cookie }),
    });
  /** Two questions at once must not share an answer: each asks anew. */
  const optionsFor = async (ticket?: string) => {
    const { status, body } = await post("passkey_sign_in_options", ticket ? { ticket } : {});
    assert.equal(status, 200, JSON.stringify(body));
    return body.options as { challenge: string; rpId: string; allowCredentials: { id: string }[] };
  };
  const register = async (cookie: string, name: string, other: Deviation = {}) => {
    const { status, body } = await post("passkey_options", undefined, cookie);
    assert.equal(status, 200, JSON.stringify(body));
    const { credential, answer } = authenticator.register(body.options, other);
    const created = await post("passkeys", { name, credential: answer }, cookie);
    return { credential, answer, created, options: body.options };
  };
  return {
    authenticator,
    origin,
    post,
    optionsFor,
    register,
    /** A new passkey of the tenant's owner. */
    async passkey({ cookie }: Pick<Tenant, "cookie">, name = "Laptop") {
      const { credential, created } = await register(cookie, name);
      assert.equal(created.status, 200, JSON.stringify(created.body));
      return { credential, id: created.body.id as string };
    },
    async signIn(credential: Credential, other: Deviation = {}, ticket?: string) {
      const answer = authenticator.answer(await optionsFor(ticket), credential, other);
      return post("passkey_sign_in", { credential: answer, ...(ticket && { ticket }) });
    },
    async list({ cookie }: Pick<Tenant, "cookie">) {
      const { body } = await house.ask("GET", `${console}/passkeys`, { cookie });
      return body as {
        data: { id: string; name: string; last_used_at: string | null; usable: boolean }[];
        has_password: boolean;
        second_step: boolean;
        unavailable: string | null;
      };
    },
  };
}
