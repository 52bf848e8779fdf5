// The fields of a credential. What is secret is typed, and never shown.
import type { ReactNode } from "react";
import { AreaField, CheckField, RadioCards, TextField } from "../../kit/form/field.tsx";
import type { FormState } from "../../kit/form/form.tsx";
import { SelectField } from "../../kit/form/select.tsx";
import { limits } from "../vaults.ts";
import { endpointAuths, type Draft } from "./credential-draft.ts";

interface Part {
  form: FormState<Draft>;
  isNew?: boolean;
}

export const Name = ({ form }: Part) => (
  <TextField
    label="Display name"
    hint="Without one it is called by what it is for."
    maxLength={limits.nameCharactersMax}
    autoComplete="off"
    {...form.field("name", "display_name")}
  />
);

export function Token({ form, isNew = false }: Part) {
  const [name, field] =
    form.values.type === "mcp_oauth" ? ["access token", "access_token"] : ["token", "token"];
  const label = isNew ? name.charAt(0).toUpperCase() + name.slice(1) : `New ${name}`;
  return <Secret form={form} label={label} path={`auth.${field}`} isNew={isNew} />;
}

export function Secret({
  form,
  label,
  path,
  name = "secret",
  isNew = false,
}: Part & { label: string; path: string; name?: "secret" | "refreshToken" | "clientSecret" }) {
  return (
    <TextField
      label={label}
      type="password"
      autoComplete="new-password"
      spellCheck={false}
      required={isNew}
      maxLength={limits.secretCharactersMax}
      className="font-mono text-sm"
      {...form.field(name, path)}
    />
  );
}

export const Address = ({
  form,
  label,
  name,
  path,
}: Part & { label: string; name: "url" | "endpoint"; path: string }) => (
  <TextField
    label={label}
    required
    type="url"
    autoComplete="off"
    spellCheck={false}
    className="font-mono text-sm"
    placeholder="https://"
    {...form.field(name, path)}
  />
);

const Nested = ({ children }: { children: ReactNode }) => (
  <div className="grid gap-3 border-l-2 border-line pl-4">{children}</div>
);

export function Renewal({ form, isNew = false }: Part) {
  const { endpointAuth } = form.values;
  const path = "auth.refresh";
  return (
    <Nested>
      {isNew && (
        <>
          <Address
            form={form}
            label="Token endpoint"
            name="endpoint"
            path={`${path}.token_endpoint`}
          />
          <TextField
            label="Client id"
            required
            autoComplete="off"
            className="font-mono text-sm"
            {...form.field("clientId", `${path}.client_id`)}
          />
        </>
      )}
      <Secret
        form={form}
        label={isNew ? "Refresh token" : "New refresh token"}
        name="refreshToken"
        path={`${path}.refresh_token`}
        isNew={isNew}
      />
      {isNew && (
        <SelectField
          label="How the client proves who it is"
          choices={endpointAuths}
          {...form.choice("endpointAuth", `${path}.token_endpoint_auth.type`)}
        />
      )}
      {endpointAuth !== "none" && (
        <Secret
          form={form}
          label={isNew ? "Client secret" : "New client secret"}
          name="clientSecret"
          path={`${path}.token_endpoint_auth.client_secret`}
          isNew={isNew}
        />
      )}
      <TextField
        label="Scope"
        hint="Asked for with each renewal; empty where the server wants none."
        autoComplete="off"
        className="font-mono text-sm"
        {...form.field("scope", `${path}.scope`)}
      />
    </Nested>
  );
}

export function Reach({ form }: Part) {
  const { networking, header, body } = form.values;
  const fault = form.errorWithin("auth.injection_location");
  return (
    <>
      <RadioCards
        legend="Where it goes"
        name="networking"
        value={networking}
        choices={[
          { value: "limited", label: "Only what is named", hint: "Hosts one by one" },
          { value: "unrestricted", label: "Everywhere", hint: "To every host that is asked" },
        ]}
        onChange={(chosen) => form.set({ networking: chosen })}
      />
      {networking === "limited" && (
        <Nested>
          <AreaField
            label="Hosts"
            hint="One on a line, up to 16. *.example.com stands for all below example.com."
            rows={2}
            spellCheck={false}
            className="font-mono text-sm"
            placeholder="api.example.com"
            value={form.values.hosts}
            onChange={({ target }) => form.set({ hosts: target.value })}
            error={form.errorWithin("auth.networking")}
          />
        </Nested>
      )}
      <div>
        <CheckField
          label="In headers of requests"
          checked={header}
          onChange={({ target }) => form.set({ header: target.checked })}
        />
        <CheckField
          label="In bodies of requests"
          checked={body}
          onChange={({ target }) => form.set({ body: target.checked })}
        />
        {fault !== undefined && (
          <p role="alert" className="text-sm text-bad">
            {fault}
          </p>
        )}
      </div>
    </>
  );
}
