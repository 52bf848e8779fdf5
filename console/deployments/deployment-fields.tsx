// The fields of a deployment, with its schedule in words while it is typed.
import { AreaField, CheckField, TextField } from "../kit/form/field.tsx";
import type { FormState } from "../kit/form/form.tsx";
import { SelectField } from "../kit/form/select.tsx";
import type { Agent, Environment } from "../kit/server/api.ts";
import type { Draft } from "./deployment-draft.ts";
import { limits, readSchedule } from "./deployments.ts";
import { Upcoming } from "./upcoming.tsx";

export function DeploymentFields({
  form,
  agents,
  environments,
  hasMessage = true,
}: {
  form: FormState<Draft>;
  agents: readonly Agent[];
  environments: readonly Environment[];
  /** False where there is more than a text can show. */
  hasMessage?: boolean;
}) {
  return (
    <>
      <TextField
        label="Name"
        required
        maxLength={limits.nameCharactersMax}
        autoComplete="off"
        {...form.field("name")}
      />
      <SelectField
        label="Agent"
        hint="Its newest version at the time you save is pinned."
        choices={agents.map(({ id, name, version, model }) => ({
          value: id,
          label: name,
          hint: `Version ${version}, ${model.id}`,
        }))}
        {...form.choice("agent")}
      />
      <SelectField
        label="Environment"
        hint="Where the tools of the agent run."
        choices={environments.map(({ id, name, config }) => ({
          value: id,
          label: name,
          hint: config.type === "self_hosted" ? "Self-hosted" : "On this server",
        }))}
        {...form.choice("environment", "environment_id")}
      />
      {hasMessage ? (
        <AreaField
          label="First message"
          hint="What each session is told to do."
          rows={3}
          {...form.field("message", "initial_events")}
        />
      ) : (
        <p className="text-sm text-soft">
          What its sessions are told first is more than a text: change it over the API.
        </p>
      )}
      <Schedule form={form} />
      <TextField
        label="Budget in dollars"
        hint="Of each session, at list prices."
        inputMode="decimal"
        placeholder="None"
        {...form.field("budget")}
      />
      <AreaField
        label="Description"
        rows={2}
        maxLength={limits.descriptionCharactersMax}
        {...form.field("description")}
      />
    </>
  );
}

const zones = Intl.supportedValuesOf("timeZone");

function Schedule({ form }: { form: FormState<Draft> }) {
  const { hasSchedule, expression, timezone } = form.values;
  const { words, next, fault } = readSchedule(expression, timezone);
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-medium">Schedule</legend>
      <CheckField
        label="Run by a schedule"
        checked={hasSchedule}
        onChange={({ target }) => form.set({ hasSchedule: target.checked })}
      />
      {hasSchedule && (
        <div className="grid gap-3 border-l-2 border-line pl-4">
          <TextField
            label="Cron expression"
            hint="Minute, hour, day of month, month, day of week (0 is Sunday)."
            maxLength={limits.cronCharactersMax}
            spellCheck={false}
            autoComplete="off"
            className="font-mono"
            {...form.field("expression", "schedule.expression")}
            {...(fault?.expression !== undefined && { error: fault.expression })}
          />
          <TextField
            label="Time zone"
            hint="Its wall clock counts: what spring skips does not run, what autumn has twice runs twice."
            list="deployment-zones"
            spellCheck={false}
            autoComplete="off"
            {...form.field("timezone", "schedule.timezone")}
            {...(fault?.timezone !== undefined && { error: fault.timezone })}
          />
          <datalist id="deployment-zones">
            {zones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
          {words !== undefined && <p role="status">{words}</p>}
          {next.length > 0 && <Upcoming times={next} timeZone={timezone} />}
        </div>
      )}
    </fieldset>
  );
}
