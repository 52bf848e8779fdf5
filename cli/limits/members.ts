// `plinth limits members`, `requests`, `approve` and `deny`: spend limits of an enterprise organization's people.
import type { Client } from "../../contract/client.ts";
import type { SpendLimitIncreaseRequest, SpendSummary } from "../../contract/types.ts";
import { askOfEnterprise } from "../administration.ts";
import { findMember } from "../members/members.ts";
import type { Flags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { formatDate, printResult } from "../print-result.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { printPage } from "../workspace-calls.ts";
import type { ApproveFlags, MemberSpendFlags, RequestFlags } from "./options.ts";
import { formatDollars } from "../../client/text/words.ts";
import { share } from "./show.ts";

const askOfMembers = <T>(
  terminal: Terminal,
  flags: Flags,
  question: (client: Client) => Promise<T>,
): Promise<T> => askOfEnterprise(terminal, flags, elsewhere, question);

const elsewhere =
  "Members have limits of their own in an enterprise organization only. plinth limits shows those of this organization.";

export async function members(terminal: Terminal, flags: MemberSpendFlags): Promise<void> {
  const { member, period, limit, page: cursor } = flags;
  const page = await askOfMembers(terminal, flags, async (client) => {
    const query = {
      limit,
      page: cursor,
      ...(period !== undefined && { period: [period] }),
      ...(member !== undefined && { user_ids: [await findMember(client, member)] }),
    };
    return client.spend_limits.effective({ query });
  });
  printPage(terminal, flags, page, {
    titles: ["MEMBER", "PERIOD", "LIMIT", "SPENT", "USED"],
    row: (summary) => [whoOf(summary), summary.period, ...sumsOf(summary)],
    none: "There are no members here.",
  });
}

const whoOf = ({ actor }: Pick<SpendSummary, "actor">): string =>
  escapeControls(actor.email_address ?? actor.name ?? actor.user_id);

const sumsOf = ({ amount, period_to_date_spend: spent }: SpendSummary): string[] => [
  amount === null ? "none" : formatDollars(amount),
  formatDollars(spent),
  amount === null ? "-" : share(Number(spent), Number(amount)),
];

export async function requests(terminal: Terminal, flags: RequestFlags): Promise<void> {
  const { status, limit, page: cursor } = flags;
  const query = { limit, page: cursor, ...(status !== undefined && { status: [status] }) };
  const page = await askOfMembers(terminal, flags, (client) =>
    client.spend_limit_increase_requests.list({ query }),
  );
  printPage(terminal, flags, page, {
    titles: ["ID", "MEMBER", "STATUS", "PERIOD", "LIMIT", "SPENT", "ASKED", "REASON"],
    row: (request) => [
      request.id,
      whoOf(request),
      request.status,
      request.period,
      ...(request.spend_summary === null ? ["-", "-"] : sumsOf(request.spend_summary).slice(0, 2)),
      formatDate(request.created_at),
      escapeControls(request.reason ?? "-"),
    ],
    none: "There are no such requests.",
  });
}

export async function approve(
  terminal: Terminal,
  id: string,
  amount: string,
  flags: ApproveFlags,
): Promise<void> {
  if (amount === "none")
    throw new CliError("Give an amount: a request is approved with a limit.", exitCodes.usage);
  const { period } = flags;
  const params = { spend_limit_increase_request_id: id };
  const body = { amount, ...(period !== undefined && { period }) };
  const done = await askOfMembers(terminal, flags, (client) =>
    client.spend_limit_increase_requests.approve({ params, body }),
  );
  printResult(terminal, flags, done, () => told("approved", done));
}

export async function deny(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const params = { spend_limit_increase_request_id: id };
  const done = await askOfMembers(terminal, flags, (client) =>
    client.spend_limit_increase_requests.deny({ params }),
  );
  printResult(terminal, flags, done, () => told("denied", done));
}

const told = (how: string, request: Pick<SpendLimitIncreaseRequest, "id" | "actor">): string =>
  `${how} ${request.id} of ${whoOf(request)}\n`;
