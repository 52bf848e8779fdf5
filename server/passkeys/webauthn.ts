// The library of WebAuthn: some 300 files, read when the first passkey is asked for, not at every start of a process.

export const loadWebAuthn = () => import("@simplewebauthn/server");
