// The library of WebAuthn: some 300 files, loaded when the first passkey is asked for, not at every start of a process.

export const loadWebAuthn = () => import("@simplewebauthn/server");
