// Shapes of passkeys.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { limits } from "./limits.ts";

const Base64 = (maxLength: number) =>
  Type.String({ maxLength, ...worded("^[A-Za-z0-9_-]*$", "must be base64url without padding") });
const Time = Type.String({ format: "date-time" });
const Open = Type.Record(Type.String(), Type.Unknown());

/** As browsers send them, open to later additions: the library reads what it needs. */
const answered = {
  id: Base64(1400),
  rawId: Base64(1400),
  type: Type.Literal("public-key"),
  authenticatorAttachment: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  clientExtensionResults: Type.Optional(Open),
};
export const Registration = Type.Object({
  ...answered,
  response: Type.Object({
    clientDataJSON: Base64(8_000),
    attestationObject: Base64(32_000),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
  }),
});
export type Registration = Static<typeof Registration>;
export const Assertion = Type.Object({
  ...answered,
  response: Type.Object({
    clientDataJSON: Base64(8_000),
    authenticatorData: Base64(8_000),
    signature: Base64(8_000),
    userHandle: Type.Optional(Type.Union([Base64(200), Type.Null()])),
  }),
});
export type Assertion = Static<typeof Assertion>;

const Name = Type.String({ minLength: 1, maxLength: limits.passkeyNameCharactersMax });
const Ticket = Type.String({ minLength: 1, maxLength: 2_000 });

export const Passkey = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("passkey"),
    name: Type.String(),
    backed_up: Type.Boolean(),
    relying_party: Type.String(),
    usable: Type.Boolean(),
    created_at: Time,
    last_used_at: Type.Union([Time, Type.Null()]),
  },
  { $id: "Passkey" },
);
export type Passkey = Static<typeof Passkey>;

/** How the person may sign in, beside single sign-on. */
export const MyPasskeys = Type.Object({
  data: Type.Array(Passkey),
  has_password: Type.Boolean(),
  second_step: Type.Boolean(),
  /** The name under which browsers keep them here; null where they cannot. */
  relying_party: Type.Union([Type.String(), Type.Null()]),
  /** Why this server can take no passkeys; null when it can. */
  unavailable: Type.Union([Type.String(), Type.Null()]),
});

export const Options = Type.Object({ options: Open });
export const SignInOptions = closed({ ticket: Type.Optional(Ticket) });
export const PasskeySignIn = closed({ credential: Assertion, ticket: Type.Optional(Ticket) });
export type PasskeySignIn = Static<typeof PasskeySignIn>;
export const CreatePasskey = closed({ name: Name, credential: Registration });
export type CreatePasskey = Static<typeof CreatePasskey>;
export const RenamePasskey = closed({ name: Name });
export const PasskeyParams = closed({
  passkey_id: Type.String({ minLength: 1, maxLength: 100 }),
});
export const PasskeyDeleted = Type.Object({
  id: Type.String(),
  type: Type.Literal("passkey_deleted"),
});
export const SecondStep = closed({ required: Type.Boolean() });
export const SecondStepSet = Type.Object({ second_step: Type.Boolean() });

/** One of the two. */
export const Proof = closed({
  current_password: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  credential: Type.Optional(Assertion),
});
export type Proof = Static<typeof Proof>;
