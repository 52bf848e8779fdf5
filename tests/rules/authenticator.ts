// An authenticator in software, for tests: keeps ES256 keys, counts, and answers as a browser would hand it over.
import { createHash, generateKeyPairSync, sign, type KeyObject } from "node:crypto";

export interface Credential {
  id: string;
  userHandle: string;
  counter: number;
  key: KeyObject;
}

export interface Deviation {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  counter?: number;
  userHandle?: string | null;
  /** User present is 1, user verified 4. */
  flags?: number;
  key?: KeyObject;
}

const base64url = (bytes: Buffer | string) => Buffer.from(bytes).toString("base64url");
const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest();

/** Enough of CBOR for an attestation without a statement. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  const head = (major: number, count: number) => {
    if (count < 24) return Buffer.from([(major << 5) | count]);
    if (count < 256) return Buffer.from([(major << 5) | 24, count]);
    return Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
  };
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") {
    const bytes = Buffer.from(value);
    return Buffer.concat([head(3, bytes.length), bytes]);
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const pairs = [...value].flatMap(([key, item]) => [cbor(key), cbor(item as string)]);
  return Buffer.concat([head(5, value.size), ...pairs]);
}

interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}
interface RequestOptions {
  challenge: string;
  rpId: string;
}

export function makeAuthenticator(origin: string) {
  let made = 0;
  const clientData = (type: string, challenge: string, other: Deviation) =>
    Buffer.from(
      JSON.stringify({
        type: other.type ?? type,
        challenge: other.challenge ?? challenge,
        origin: other.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const counterBytes = (counter: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(counter);
    return bytes;
  };

  return {
    register(options: CreationOptions, other: Deviation = {}) {
      const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      const id = sha256(`credential ${++made} ${x}`);
      const cose = cbor(
        new Map<number, unknown>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(x, "base64url")],
          [-3, Buffer.from(y, "base64url")],
        ]),
      );
      const flags = (other.flags ?? 5) | 64;
      const authData = Buffer.concat([
        sha256(other.rpId ?? options.rp.id),
        Buffer.from([flags]),
        counterBytes(other.counter ?? 0),
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        cose,
      ]);
      const attestation = cbor(
        new Map<string, unknown>([
          ["fmt", "none"],
          ["attStmt", new Map()],
          ["authData", authData],
        ]),
      );
      const credential: Credential = {
        id: base64url(id),
        userHandle: options.user.id,
        counter: other.counter ?? 0,
        key: privateKey,
      };
      const answer = {
        id: credential.id,
        rawId: credential.id,
        type: "public-key",
        response: {
          clientDataJSON: base64url(clientData("webauthn.create", options.challenge, other)),
          attestationObject: base64url(attestation),
          transports: ["internal"],
        },
        clientExtensionResults: {},
      };
      return { credential, answer };
    },

    /** Counts up by one unless told otherwise. */
    answer(options: RequestOptions, credential: Credential, other: Deviation = {}) {
      credential.counter = other.counter ?? credential.counter + 1;
      const authData = Buffer.concat([
        sha256(other.rpId ?? options.rpId),
        Buffer.from([other.flags ?? 5]),
        counterBytes(credential.counter),
      ]);
      const data = clientData("webauthn.get", options.challenge, other);
      const signed = Buffer.concat([authData, sha256(data)]);
      const userHandle = other.userHandle === undefined ? credential.userHandle : other.userHandle;
      return {
        id: credential.id,
        rawId: credential.id,
        type: "public-key",
        response: {
          clientDataJSON: base64url(data),
          authenticatorData: base64url(authData),
          signature: base64url(sign("sha256", signed, other.key ?? credential.key)),
          userHandle,
        },
        clientExtensionResults: {},
      };
    },
  };
}
