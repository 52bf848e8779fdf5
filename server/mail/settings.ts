// What the settings file says of the mail server.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import Type, { type Static } from "typebox";
import { ExitError } from "../../kernel/base/failure.ts";
import { worded } from "../../kernel/base/patterns.ts";
import type { World } from "../../kernel/context.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import type { Loaded } from "../../kernel/settings/load.ts";

const Line = Type.String({
  minLength: 1,
  maxLength: 320,
  ...worded("^[^\\r\\n]+$", "must be one line"),
});

const MailSection = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253 }),
    /** By default 465 with `secure`, else 587. */
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    /** TLS from the first byte; without it TLS begins when the mail server offers it. */
    secure: Type.Optional(Type.Boolean()),
    user: Type.Optional(Line),
    password: Type.Optional(Line),
    /** A file that holds the password and nothing else. */
    password_file: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    from: Line,
  },
  { additionalProperties: false },
);
type MailSection = Static<typeof MailSection>;

export const mailSection = defineSection({
  name: "mail",
  describe:
    "The mail server that invites and alerts are sent through; without it links of invites are copied.",
  schema: Type.Union([MailSection, Type.Null()]),
  fallback: null,
});

export interface MailServer {
  host: string;
  port: number;
  secure: boolean;
  user?: string;
  password?: string;
  from: string;
}

/** The password may be in the section, in a separate file, or in the environment. */
export function readMailSettings(
  { section, file = "the settings file" }: Pick<Loaded<unknown>, "section" | "file">,
  fromEnvironment: string | undefined,
): MailServer | null {
  const mail = section(mailSection);
  if (mail === null) return null;
  const { password_file, password: written, secure = false, port, ...rest } = mail;
  const password = fromEnvironment ?? written ?? passwordIn(password_file, file);
  if (mail.user !== undefined && password === undefined)
    throw new ExitError(
      `The section mail of ${file} names a user and no password: give password_file, or set PLINTH_MAIL_PASSWORD.`,
      2,
    );
  return {
    ...rest,
    secure,
    port: port ?? (secure ? 465 : 587),
    ...(password !== undefined && { password }),
  };
}

function passwordIn(name: string | undefined, file: string): string | undefined {
  if (name === undefined) return undefined;
  const path = resolve(dirname(file), name);
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new ExitError(`The password_file ${path} of the section mail cannot be read.`, 2, error);
  }
}

export const mailServerOf = ({ sections }: Pick<World, "sections">): MailServer | undefined =>
  (sections?.["mail"] as MailServer | null | undefined) ?? undefined;

export const isMailSet = (world: Pick<World, "sections">): boolean =>
  mailServerOf(world) !== undefined;
