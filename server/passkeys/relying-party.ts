// The name under which browsers keep passkeys for this server: the host of its public address.
import { isIP } from "node:net";
import { invalid } from "../../kernel/base/failure.ts";

export interface RelyingParty {
  /** Null when browsers can keep no passkey for this address. */
  id: string | null;
  /** The origin of this server's pages. */
  origin: string;
  unavailable: string | null;
}

/** Rule PKY6. Browsers accept a name, not an IP address: on this machine itself that is `localhost`. */
export function relyingPartyOf(publicUrl: string): RelyingParty {
  const { protocol, hostname, port } = new URL(publicUrl);
  const bare = hostname.replace(/^\[|\]$/g, "");
  const isLoopback =
    hostname === "localhost" || bare === "::1" || /^127\.\d+\.\d+\.\d+$/.test(bare);
  const portSuffix = port === "" ? "" : `:${port}`;
  if (isLoopback)
    return { id: "localhost", origin: `${protocol}//localhost${portSuffix}`, unavailable: null };
  const origin = `${protocol}//${hostname}${portSuffix}`;
  if (isIP(bare) !== 0)
    return {
      id: null,
      origin,
      unavailable: `Browsers keep passkeys for names only, and this server's public address is the number ${bare}. The operator can give it a name: PLINTH_PUBLIC_URL.`,
    };
  return { id: hostname, origin, unavailable: null };
}

/** The same, or a refusal where there is none. */
export function expectRelyingParty(publicUrl: string): { id: string; origin: string } {
  const { id, origin, unavailable } = relyingPartyOf(publicUrl);
  if (id === null) throw invalid(unavailable ?? "Passkeys are not available here.");
  return { id, origin };
}
