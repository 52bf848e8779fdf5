// Sealing what must be readable again, hashing what must only be recognised, signing what must come back unchanged.

export interface Secrets {
  /** Encrypts under the active key. `context` is bound in: a sealed value opens only where it was sealed for. */
  seal(plaintext: Buffer | string, context: string): string;
  open(sealed: string, context: string): Buffer;
  /** The same value under the active key, after a rotation. */
  reseal(sealed: string, context: string): string;
  /** The key that a sealed value stands under. */
  keyIdOf(sealed: string): string;
  activeKeyId(): string;
  /** A short text that carries `value` and proves that this installation made it for `purpose`. */
  sign(value: unknown, purpose: string): string;
  /** The value, or undefined when the text is not this installation's, was changed, or was made for another purpose. */
  verify(signed: string, purpose: string): unknown;
}
