// Whom alerts are mailed to, and whether they can be.
import { useQuery } from "@tanstack/react-query";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { AreaField, CheckField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { Button } from "../kit/page/button.tsx";
import { Card, Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { api, type AlertSettings } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { exactTime } from "../kit/value/time.ts";
import { alertQueries, renewAlerts } from "./queries.ts";

export function MailSettings() {
  const { data, error, refetch } = useQuery(alertQueries.settings);
  const mayChange = useMe().permissions.includes("limits:write");
  return (
    <Section
      title="Mail"
      note="One mail for each recipient when alerts fire, and one when they are resolved."
      actions={
        mayChange &&
        data !== undefined && (
          <Button onClick={() => changeSettings(data)}>Change who is mailed</Button>
        )
      }
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <RowsSkeleton rows={1} />}
      {data !== undefined && (
        <Card className="grid gap-2">
          <p className="wrap-anywhere">{recipientWords(data)}</p>
          {!data.has_mail_server && (
            <p className="text-warn">
              No mail server is set: nothing is mailed. The operator of this server names one in the
              section mail of its settings file.
            </p>
          )}
          {data.mail_failure !== null && (
            <p className="text-warn wrap-anywhere">
              A mail was given up at {exactTime(data.mail_failure.at)}: {data.mail_failure.error}
            </p>
          )}
        </Card>
      )}
    </Section>
  );
}

function recipientWords({ mail_administrators, mail_to }: AlertSettings): string {
  const all = [...(mail_administrators ? ["owners and administrators"] : []), ...mail_to];
  return all.length === 0 ? "To no address." : `To ${all.join(", ")}.`;
}

const changeSettings = (settings: AlertSettings): void =>
  openDialog({
    title: "Who is mailed",
    description: "Of alerts of this organization.",
    body: <SettingsForm settings={settings} />,
  });

const addressesIn = (typed: string) => typed.split(/[\s,;]+/).filter((each) => each !== "");

function SettingsForm({ settings }: { settings: AlertSettings }) {
  const form = useForm({
    start: {
      administrators: settings.mail_administrators,
      mail_to: settings.mail_to.join("\n"),
    },
    save: (typed, changed) =>
      api.alert_settings.update({
        body: {
          ...(changed.administrators !== undefined && {
            mail_administrators: typed.administrators,
          }),
          ...(changed.mail_to !== undefined && { mail_to: addressesIn(typed.mail_to) }),
        },
      }),
    done: () => "Who is mailed is saved",
    renew: renewAlerts,
  });
  const field = form.field("mail_to");
  return (
    <Form form={form} label="Save">
      <CheckField
        label="Owners and administrators"
        hint="At most 50 of each."
        checked={form.values.administrators}
        onChange={({ target }) => form.set({ administrators: target.checked })}
      />
      <AreaField
        label="Other addresses"
        rows={3}
        spellCheck={false}
        hint="One a line, at most 20."
        {...field}
        error={field.error ?? form.errorWithin("mail_to")}
      />
    </Form>
  );
}
