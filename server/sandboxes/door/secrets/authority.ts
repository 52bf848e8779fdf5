// The certificate authority of one sandbox: its key is in the memory of this process alone, and it speaks for hosts
// towards that sandbox alone.
import { KeyObject, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { Random } from "../../../../kernel/base/random.ts";
import type { Clock } from "../../../../kernel/base/clock.ts";
import { RecentMap } from "../../../../kernel/base/recent-map.ts";
import { bareHost } from "../target.ts";

export interface Authority {
  /** In PEM. */
  certificate: string;
  /** By which a connection shows itself to be with this host. */
  contextFor(host: string): Promise<SecureContext>;
  certificateFor(host: string): Promise<{ key: string; cert: string }>;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const hourMs = 3_600_000;
/** Clocks in sandboxes may be behind. */
const beforeMs = 24 * hourMs;
const authorityMs = 365 * 24 * hourMs;
const certificateMs = 7 * 24 * hourMs;
const renewedMs = 24 * hourMs;
const keptMax = 256;

export async function makeAuthority(world: { clock: Clock; random: Random }): Promise<Authority> {
  const x509 = await loadX509();
  const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const [keys, hostKeys] = [await newKeys(), await newKeys()];
  const identity = await x509.SubjectKeyIdentifierExtension.create(keys.publicKey);
  const serialNumber = () => {
    const bytes = world.random.bytes(16);
    // Of a positive number, without a zero in front.
    bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
    return bytes.toString("hex");
  };
  const validFor = (ms: number) => {
    const nowMs = world.clock.now().getTime();
    return { notBefore: new Date(nowMs - beforeMs), notAfter: new Date(nowMs + ms) };
  };
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: "CN=Plinth sandbox",
    ...validFor(authorityMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      identity,
    ],
  });
  const key = KeyObject.from(hostKeys.privateKey).export({ type: "pkcs8", format: "pem" });
  const hostIdentity = await x509.SubjectKeyIdentifierExtension.create(hostKeys.publicKey);
  const authorityIdentity = await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey);
  const certificateFor = async (host: string) => {
    const bare = bareHost({ host });
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject: "CN=host of a sandbox",
      issuer: authority.subject,
      ...validFor(certificateMs),
      signingAlgorithm: algorithm,
      publicKey: hostKeys.publicKey,
      signingKey: keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([
          { type: isIP(bare) === 0 ? "dns" : "ip", value: bare },
        ]),
        authorityIdentity,
        hostIdentity,
      ],
    });
    return { key, cert: certificate.toString("pem") };
  };
  return {
    certificate: `${authority.toString("pem")}\n`,
    certificateFor,
    contextFor: keeping(world.clock, async (host) =>
      createSecureContext(await certificateFor(host)),
    ),
  };
}

/** Those asked for last are made once; a failure is not kept. */
function keeping(clock: Clock, make: (host: string) => Promise<SecureContext>) {
  const kept = new RecentMap<string, { context: Promise<SecureContext>; madeMs: number }>(keptMax);
  return (host: string): Promise<SecureContext> => {
    const known = kept.get(host);
    const nowMs = clock.monotonicMs();
    const isFresh = known !== undefined && nowMs - known.madeMs < renewedMs;
    const chosen = isFresh ? known : { context: make(host), madeMs: nowMs };
    kept.set(host, chosen);
    if (!isFresh) chosen.context.catch(() => kept.delete(host));
    return chosen.context;
  };
}

/** It takes a moment to load, and most servers have no such sandbox. */
async function loadX509() {
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

/** Those of this machine, of Node.js, and what NODE_EXTRA_CA_CERTS names. */
export const trustedHere = (): string[] => [
  ...new Set((["default", "system", "extra"] as const).flatMap((of) => getCACertificates(of))),
];

let outgoing: SecureContext | undefined;
/** For connections to hosts: with some 200 authorities it takes milliseconds to make. */
export const outgoingContext = (): SecureContext =>
  (outgoing ??= createSecureContext({ ca: trustedHere() }));
