// Encrypting what must be readable again, hashing what must only be recognised, signing what must come back unchanged.

export interface Secrets {
  /** Encrypts under the active key. `context` is bound in: an encrypted value opens only where it was encrypted for. */
  encrypt(plaintext: Buffer | string, context: string): string;
  decrypt(encrypted: string, context: string): Buffer;
  /** The same value under the active key, after a rotation. */
  rewrap(encrypted: string, context: string): string;
  /** The key that an encrypted value stands under. */
  keyIdOf(encrypted: string): string;
  activeKeyId(): string;
  /** A short text that carries `value` and proves that this installation made it for `purpose`. */
  sign(value: unknown, purpose: string): string;
  /** The value, or undefined when the text is not this installation's, was changed, or was made for another purpose. */
  verify(signed: string, purpose: string): unknown;
}
