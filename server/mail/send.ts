// Sends one mail through the mail server of the settings.
import { publicMessage } from "../../kernel/jobs/run.ts";
import type { MailServer } from "./settings.ts";

/** Together some 40 minutes, with pauses that grow from 2 seconds to 10 minutes. */
export const attemptsMax = 12;
export const backoffMs = 2_000;
/** A server that says nothing for so long is away. */
export const silenceMs = 20_000;

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** As it stands in HTML. */
export const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

export interface Message {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface MailError {
  message: string;
  /** Trying again changes nothing. */
  isFinal: boolean;
}

/** Undefined when the mail server took it. A reply of 500 or above is final. */
export async function send(
  { host, port, secure, user, password, from }: MailServer,
  message: Message,
): Promise<MailError | undefined> {
  // Loaded for the first mail: most processes send none.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    host,
    port,
    secure,
    ...(user !== undefined && { auth: { user, pass: password ?? "" } }),
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ from, ...message });
    return undefined;
  } catch (error) {
    const { responseCode = 0, code } = error as { responseCode?: number; code?: string };
    // A wrong password is corrected in the settings: the next attempt may succeed.
    return { message: publicMessage(error), isFinal: responseCode >= 500 && code !== "EAUTH" };
  } finally {
    transport.close();
  }
}
