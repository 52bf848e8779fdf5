// Whose tokens are believed, and where its keys come from: for a new issuer, and for one that is there.
import { useState, type ReactNode } from "react";
import { server } from "../../kit/server/api.ts";
import { defaultLife, platformChoices, presets, type Platform } from "../federation-presets.ts";
import { renewFederation, keysFrom, type Issuer, type NewIssuer } from "../federation.ts";
import { AreaField, CheckField, RadioCards, TextField } from "../../kit/form/field.tsx";
import { Form, useForm, type FormState } from "../../kit/form/form.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { SelectField } from "../../kit/form/select.tsx";

type Source = Issuer["jwks"]["type"];

interface Draft {
  name: string;
  issuer_url: string;
  source: Source;
  /** Of discovery the base, of an address itself. */
  address: string;
  certificate: string;
  keys: string;
  checkJti: boolean;
  life: string;
}

const presetDraft = (platform: Platform): Draft => {
  const { name, url, source, checkJti } = presets[platform].issuer;
  const nothing = { address: "", certificate: "", keys: "" };
  return { name, issuer_url: url, source, ...nothing, checkJti, life: String(defaultLife) };
};

function draftOf({ name, issuer_url, jwks, ...issuer }: Omit<Issuer, "id">): Draft {
  const address = jwks.type === "discovery" ? jwks.discovery_base : null;
  return {
    name,
    issuer_url,
    source: jwks.type,
    address: (jwks.type === "explicit_url" ? jwks.url : address) ?? "",
    certificate: (jwks.type === "inline" ? null : jwks.ca_cert_pem) ?? "",
    keys: jwks.type === "inline" ? JSON.stringify({ keys: jwks.keys }, null, 2) : "",
    checkJti: issuer.check_jti,
    life: String(issuer.max_jwt_lifetime_seconds),
  };
}

/** A key set as it is published, or its keys alone. */
function readKeys(text: string): Record<string, unknown>[] | undefined {
  try {
    const found = JSON.parse(text) as { keys?: unknown };
    const keys = Array.isArray(found) ? found : found.keys;
    return Array.isArray(keys) && keys.length > 0 ? keys : undefined;
  } catch {
    return undefined;
  }
}

function sourceOf({ source, address, certificate, keys }: Draft): NonNullable<NewIssuer["jwks"]> {
  const ca_cert_pem = certificate.trim() || null;
  if (source === "inline") return { type: source, keys: readKeys(keys) ?? [] };
  return source === "explicit_url"
    ? { type: source, url: address.trim(), ca_cert_pem }
    : { type: source, discovery_base: address.trim() || null, ca_cert_pem };
}

const bodyOf = (draft: Draft) => ({
  name: draft.name,
  issuer_url: draft.issuer_url.trim(),
  jwks: sourceOf(draft),
  check_jti: draft.checkJti,
  max_jwt_lifetime_seconds: Number(draft.life),
});

const faultOf = ({ source, keys }: Draft) =>
  source === "inline" && readKeys(keys) === undefined
    ? 'Keys: paste the key set as it is published, {"keys": [{…}]}.'
    : undefined;

export const newIssuer = (): void =>
  openDialog({ title: "Register an issuer", wide: true, body: <NewForm /> });

export const editIssuer = (issuer: Issuer): void =>
  openDialog({ title: "Edit the issuer", wide: true, body: <EditForm issuer={issuer} /> });

function NewForm() {
  const [platform, setPlatform] = useState<Platform>("github");
  const form = useForm({
    start: presetDraft("github"),
    faultOf,
    save: (draft) => server.federation_issuers.create({ body: bodyOf(draft) }),
    done: ({ name }) => `${name} is there`,
    renew: renewFederation,
  });
  return (
    <Fields form={form} label="Register issuer">
      <RadioCards
        legend="Platform"
        name="platform"
        value={platform}
        choices={platformChoices}
        onChange={(next) => {
          setPlatform(next);
          form.set(presetDraft(next));
        }}
      />
    </Fields>
  );
}

function EditForm({ issuer: { id, ...issuer } }: { issuer: Issuer }) {
  const form = useForm({
    start: draftOf(issuer),
    faultOf,
    save: (draft) =>
      server.federation_issuers.update({
        params: { federation_issuer_id: id },
        body: bodyOf(draft),
      }),
    done: () => "Saved",
    renew: renewFederation,
  });
  return <Fields form={form} label="Save" />;
}

interface Part {
  form: FormState<Draft>;
}

const Fields = ({ form, label, children }: Part & { label: string; children?: ReactNode }) => (
  <Form form={form} label={label} isReady>
    {children}
    <Naming form={form} />
    <Keys form={form} />
    <Trust form={form} />
  </Form>
);

function Naming({ form }: Part) {
  return (
    <>
      <TextField
        label="Name"
        required
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        hint="Small letters, digits and hyphens."
        {...form.field("name")}
      />
      <TextField
        label="Issuer URL"
        required
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        hint="What its tokens have as iss, to the letter."
        {...form.field("issuer_url")}
      />
    </>
  );
}

function Keys({ form }: Part) {
  const { source } = form.values;
  return (
    <>
      <SelectField
        label="Where its keys come from"
        value={source}
        hint={sourceHints[source]}
        choices={(Object.keys(keysFrom) as Source[]).map((each) => ({
          value: each,
          label: keysFrom[each],
        }))}
        onChange={(next) => form.set({ source: next, address: "" })}
      />
      {source === "inline" ? (
        <AreaField
          label="Keys"
          required
          rows={4}
          spellCheck={false}
          className="font-mono text-sm"
          placeholder='{"keys": [{"kty": "RSA", "kid": "…", "n": "…", "e": "AQAB"}]}'
          hint="Public keys as a JSON key set. Of a cluster: kubectl get --raw /openid/v1/jwks"
          {...form.field("keys")}
        />
      ) : (
        <>
          <TextField
            label={source === "discovery" ? "Discovery address" : "Address of the keys"}
            required={source === "explicit_url"}
            type="url"
            className="font-mono"
            hint={
              source === "discovery"
                ? "Only where it is not the issuer's URL."
                : "The key set itself (jwks_uri), over https."
            }
            {...form.field("address")}
          />
          <AreaField
            label="Certificate authority"
            rows={2}
            spellCheck={false}
            className="font-mono text-sm"
            hint="Only for a server whose certificate no public authority has signed: PEM."
            {...form.field("certificate")}
          />
        </>
      )}
    </>
  );
}

const sourceHints: Record<Source, string> = {
  discovery: "From /.well-known/openid-configuration below the issuer's URL, every 15 minutes.",
  explicit_url: "From one address, every 15 minutes.",
  inline: "Nothing is fetched: for issuers that cannot be reached. Renew them here.",
};

function Trust({ form }: Part) {
  return (
    <>
      <CheckField
        label="Each token is good for one exchange"
        hint="By its jti. Switch it off where a workload presents the same token again, as pods do."
        checked={form.values.checkJti}
        onChange={({ target }) => form.set({ checkJti: target.checked })}
      />
      <TextField
        label="Longest life of its tokens, in seconds"
        type="number"
        min={1}
        max={176_400}
        required
        hint="Tokens that are valid for longer are refused."
        {...form.field("life")}
      />
    </>
  );
}
