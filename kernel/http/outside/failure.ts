// Why an address that a client chose gave no answer.

export type OutsideReason =
  | "url"
  | "scheme"
  | "address"
  | "redirect"
  | "too_large"
  | "timeout"
  | "certificate"
  | "unreachable";

/** Why there is no answer: a sentence without a subject, for the client that chose the address. */
export class OutsideFailure extends Error {
  readonly reason: OutsideReason;

  constructor(reason: OutsideReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "OutsideFailure";
    this.reason = reason;
  }
}

export const plainHttp = () =>
  new OutsideFailure(
    "scheme",
    "must begin with https://; http is for private addresses that the operator's settings allow.",
  );

export const refusedAddress = (address: string) =>
  new OutsideFailure(
    "address",
    `leads to ${address}, which is not an address of the public internet. The operator may allow it with the setting network.allow_private_addresses.`,
  );

export const tooLate = (timeoutMs: number) =>
  new OutsideFailure("timeout", `did not answer whole within ${timeoutMs / 1000} seconds.`);

/** Certificate faults have codes of their own in two families. */
const certificateCode = /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_SSL_|ERR_OSSL_)/;

export const isCertificateCode = (code: string): boolean => certificateCode.test(code);

export function asFailure(error: unknown): OutsideFailure {
  const [first = error] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  if (first instanceof OutsideFailure) return first;
  const { cause } = first as { cause?: unknown };
  if (cause instanceof OutsideFailure) return cause;
  const code = codeOf(first) ?? codeOf(cause) ?? "no code";
  if (isCertificateCode(code))
    return new OutsideFailure(
      "certificate",
      `has a certificate that is not trusted (${code}).`,
      error,
    );
  const words = brokenOff.has(code) ? "broke off before it had answered" : "cannot be reached";
  return new OutsideFailure("unreachable", `${words} (${code}).`, error);
}

/** Of a connection that was there. */
const brokenOff: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

const codeOf = (error: unknown): string | undefined => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
};
