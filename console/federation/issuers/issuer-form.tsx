// Whose tokens are believed, and where its keys come from: for a new issuer, and for one that is there.
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { server } from "../../kit/server/api.ts";
import { fieldError } from "../../kit/server/errors.ts";
import { defaultLife, platformChoices, presets, type Platform } from "../federation-presets.ts";
import { renewFederation, keysFrom, type Issuer, type NewIssuer } from "../federation.ts";
import { Button } from "../../kit/page/button.tsx";
import { DialogActions } from "../../kit/form/dialog.tsx";
import {
  AreaField,
  CheckField,
  RadioCards,
  SelectField,
  TextField,
} from "../../kit/form/field.tsx";
import { FormTrouble } from "../../kit/form/form-trouble.tsx";
import { say } from "../../kit/page/toast.tsx";

type Source = Issuer["jwks"]["type"];

interface Draft {
  name: string;
  url: string;
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
  const life = String(defaultLife);
  return { name, url, source, address: "", certificate: "", keys: "", checkJti, life };
};

function draftOf({ name, issuer_url: url, jwks, ...issuer }: Issuer): Draft {
  const address = jwks.type === "discovery" ? jwks.discovery_base : null;
  return {
    name,
    url,
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

function save(draft: Draft, before: Issuer | undefined): Promise<Issuer> {
  const body = {
    name: draft.name,
    issuer_url: draft.url.trim(),
    jwks: sourceOf(draft),
    check_jti: draft.checkJti,
    max_jwt_lifetime_seconds: Number(draft.life),
  };
  return before === undefined
    ? server.federation_issuers.create({ body })
    : server.federation_issuers.update({ params: { federation_issuer_id: before.id }, body });
}

interface Fields {
  draft: Draft;
  error: unknown;
  change: (patch: Partial<Draft>) => void;
}

export function IssuerForm({ issuer, onClose }: { issuer?: Issuer; onClose: () => void }) {
  const [platform, setPlatform] = useState<Platform>("github");
  const [draft, setDraft] = useState(
    issuer === undefined ? presetDraft("github") : draftOf(issuer),
  );
  const [fault, setFault] = useState<string>();
  const saving = useAct({
    mutationFn: () => save(draft, issuer),
    onSuccess: async (saved) => {
      await renewFederation();
      say.good(issuer === undefined ? `${saved.name} is there` : "Saved");
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    const unread = draft.source === "inline" && readKeys(draft.keys) === undefined;
    setFault(unread ? 'Keys: paste the key set as it is published, {"keys": [{…}]}.' : undefined);
    if (!unread) saving.mutate();
  }
  const inline = ["name", "issuer_url"].some((field) => fieldError(saving.error, field));
  const fields = {
    draft,
    error: saving.error,
    change: (patch: Partial<Draft>) => setDraft((before) => ({ ...before, ...patch })),
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      {issuer === undefined && (
        <RadioCards
          legend="Platform"
          name="platform"
          value={platform}
          choices={platformChoices}
          onChange={(next) => {
            setPlatform(next);
            setDraft(presetDraft(next));
          }}
        />
      )}
      <Naming {...fields} />
      <Keys {...fields} />
      <Trust {...fields} />
      <FormTrouble fault={fault} error={inline ? null : saving.error} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={saving.isPending}>
          {issuer === undefined ? "Register issuer" : "Save"}
        </Button>
      </DialogActions>
    </form>
  );
}

function Naming({ draft, error, change }: Fields) {
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        required
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        hint="Small letters, digits and hyphens."
        error={fieldError(error, "name")}
        onChange={({ target }) => change({ name: target.value })}
      />
      <TextField
        label="Issuer URL"
        value={draft.url}
        required
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        hint="What its tokens have as iss, to the letter."
        error={fieldError(error, "issuer_url")}
        onChange={({ target }) => change({ url: target.value })}
      />
    </>
  );
}

function Keys({ draft, change }: Fields) {
  return (
    <>
      <SelectField
        label="Where its keys come from"
        value={draft.source}
        hint={sourceHints[draft.source]}
        onChange={({ target }) => change({ source: target.value as Source, address: "" })}
      >
        {(Object.keys(keysFrom) as Source[]).map((source) => (
          <option key={source} value={source}>
            {keysFrom[source]}
          </option>
        ))}
      </SelectField>
      {draft.source === "inline" ? (
        <AreaField
          label="Keys"
          value={draft.keys}
          required
          rows={4}
          spellCheck={false}
          className="font-mono text-sm"
          placeholder='{"keys": [{"kty": "RSA", "kid": "…", "n": "…", "e": "AQAB"}]}'
          hint="Public keys as a JSON key set. Of a cluster: kubectl get --raw /openid/v1/jwks"
          onChange={({ target }) => change({ keys: target.value })}
        />
      ) : (
        <>
          <TextField
            label={draft.source === "discovery" ? "Discovery address" : "Address of the keys"}
            value={draft.address}
            required={draft.source === "explicit_url"}
            type="url"
            className="font-mono"
            hint={
              draft.source === "discovery"
                ? "Only where it is not the issuer's URL."
                : "The key set itself (jwks_uri), over https."
            }
            onChange={({ target }) => change({ address: target.value })}
          />
          <AreaField
            label="Certificate authority"
            value={draft.certificate}
            rows={2}
            spellCheck={false}
            className="font-mono text-sm"
            hint="Only for a server whose certificate no public authority has signed: PEM."
            onChange={({ target }) => change({ certificate: target.value })}
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

function Trust({ draft, change }: Fields) {
  return (
    <>
      <CheckField
        label="Each token is good for one exchange"
        hint="By its jti. Switch it off where a workload presents the same token again, as pods do."
        checked={draft.checkJti}
        onChange={({ target }) => change({ checkJti: target.checked })}
      />
      <TextField
        label="Longest life of its tokens, in seconds"
        type="number"
        min={1}
        max={176_400}
        required
        value={draft.life}
        hint="Tokens that are valid for longer are refused."
        onChange={({ target }) => change({ life: target.value })}
      />
    </>
  );
}
