// What an invite says in an e-mail.
import type { InviteRow } from "./queries.ts";

interface Facts {
  invite: Pick<InviteRow, "email" | "expires_at" | "invited_by_name">;
  organizationName: string;
  link: string;
}

export function mailTexts({ invite, organizationName, link }: Facts) {
  const by = invite.invited_by_name === null ? "You were" : `${invite.invited_by_name} has`;
  const until = invite.expires_at.toISOString().slice(0, 10);
  const verb = invite.invited_by_name === null ? "invited" : "invited you";
  const opening = `${by} ${verb} to join ${organizationName} on Plinth.`;
  const rest = `The link works once, until ${until}, for ${invite.email}. If you did not expect it, do nothing.`;
  return {
    subject: `Join ${organizationName} on Plinth`,
    text: `${opening}\n\nAccept the invite:\n${link}\n\n${rest}\n`,
    html: `<p>${escaped(opening)}</p>
<p><a href="${escaped(link)}">Accept the invite</a></p>
<p>${escaped(rest)}</p>
`,
  };
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
