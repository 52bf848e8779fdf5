// Changes what can be changed of a session: its title, and the budget that it was given when it began.
import type { SessionsUpdateBody } from "../../contract/types.ts";
import { confirm } from "../kit/dialog/confirmation.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { server, type Session } from "../kit/server/api.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { dollarsText, hundredthsOf, notAnAmount, typedDollars } from "../kit/value/money.ts";
import { forgetSessions, renewSession, type Workspace } from "./session-queries.ts";
import { limits } from "./sessions.ts";

interface Changed {
  session: Session;
  workspace: Workspace;
}

const update = ({ session: { id }, workspace }: Changed, body: SessionsUpdateBody) =>
  server.sessions.update({
    params: { session_id: id },
    body,
    headers: inWorkspace(workspace),
  });

function renew({ session: { id }, workspace }: Changed): Promise<void> {
  forgetSessions(workspace);
  return renewSession(workspace, id);
}

export const renameSession = (session: Session, workspace: Workspace): void =>
  openDialog({
    title: "Rename the session",
    body: <TitleForm session={session} workspace={workspace} />,
  });

function TitleForm(changed: Changed) {
  const form = useForm({
    start: { title: changed.session.title ?? "" },
    save: ({ title }) => update(changed, { title: title.trim() === "" ? null : title.trim() }),
    renew: () => renew(changed),
    done: ({ title }) => (title === null ? "The title is gone" : `The session is called ${title}`),
  });
  return (
    <Form form={form} label="Save">
      <TextField
        label="Title"
        hint="Without one, the session is called by its first words."
        maxLength={limits.titleCharactersMax}
        autoComplete="off"
        {...form.field("title")}
      />
    </Form>
  );
}

export const changeBudget = (session: Session, workspace: Workspace): void =>
  openDialog({
    title: "Change the budget",
    body: <BudgetForm session={session} workspace={workspace} />,
  });

function BudgetForm(changed: Changed) {
  const { usage, budget } = changed.session;
  const spent = usage.list_cost.amount;
  const form = useForm({
    start: { budget: typedDollars(budget?.max_list_cost.amount) },
    faultsOf: ({ budget: typed }) => ({
      budget: ["0", undefined].includes(hundredthsOf(typed)) ? notAnAmount : undefined,
    }),
    save: ({ budget: typed }) =>
      update(changed, {
        budget: {
          type: "limit",
          max_list_cost: { amount: hundredthsOf(typed) ?? "", currency: "USD" },
        },
      }),
    renew: () => renew(changed),
    // The session may have cost more meanwhile, or have lost its budget.
    failed: () => renewSession(changed.workspace, changed.session.id),
    done: () => "The budget is changed",
  });
  const field = form.field("budget");
  return (
    <Form form={form} label="Save">
      <TextField
        label="Budget in dollars"
        hint={`At list prices, and more than the ${dollarsText(spent)} that the session has cost. One that rests because its budget was spent goes on.`}
        inputMode="decimal"
        autoComplete="off"
        {...field}
        error={field.error ?? form.errorWithin("budget.max_list_cost")}
      />
    </Form>
  );
}

export function removeBudget(session: Session, workspace: Workspace): void {
  const changed = { session, workspace };
  confirm({
    title: "Remove the budget?",
    label: "Remove the budget",
    keep: "Keep it",
    run: () => update(changed, { budget: null }),
    done: "The session has no budget any more",
    renew: () => renew(changed),
    failed: () => renewSession(workspace, session.id),
    children: (
      <>
        <p>
          Nothing but the limits of the workspace holds back what the session costs from now on. One
          that rests because its budget was spent goes on.
        </p>
        <p>A session never gets a budget again.</p>
      </>
    ),
  });
}
