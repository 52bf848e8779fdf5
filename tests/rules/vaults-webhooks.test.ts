// Rule WHK21: what a workspace's webhooks are told of its vaults.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { localNetwork } from "./federation-house.ts";
import { openReceiver } from "./webhooks-house.ts";
import { bearer, openProvider, vaultsOf } from "./vaults-house.ts";

/** An endpoint of the workspace: what it is told stands where deliveries are kept. */
async function toldIn(house: House, vaultId: string, url: string) {
  const secret = house.world.secrets.encrypt(
    `whsec_${Buffer.alloc(32).toString("base64")}`,
    "webhooks.signing_secret whep_vaults",
  );
  const { organization_id: organization } = house.organizations.platform;
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into webhook_endpoints (id, organization_id, workspace_id, name, description, url,
        enabled_events, state, disabled_reason, signing_secret, created_at, updated_at)
      select 'whep_vaults', ${organization}, workspace_id, '', '', ${url},
        array['vault.created', 'vault.archived', 'vault.deleted', 'vault_credential.created',
          'vault_credential.archived', 'vault_credential.deleted',
          'vault_credential.refresh_failed'],
        'enabled', '', ${secret}, now(), now()
      from vaults where id = ${vaultId}`),
  );
  return async () => {
    const rows = await house.world.db.query<{ body: string }>(
      sql`select body from webhook_deliveries order by id`,
    );
    return rows.map(({ body }) => (JSON.parse(body) as { data: Record<string, string> }).data);
  };
}

test("[WHK21] vaults and credentials tell what becomes of them, and nothing of what they hold", async () => {
  await using provider = await openProvider();
  await using receiver = await openReceiver();
  await using house = await openHouse({ sections: localNetwork });
  const vaults = vaultsOf(() => house);
  const first = await vaults.make();
  const told = await toldIn(house, first.id, receiver.url);
  const second = await vaults.make({ display_name: "planted" });
  const one = await vaults.add(second.id, bearer({ token: "planted" }));
  const stale = provider.oauth({ access_token: "planted" }, { refresh_token: "planted" });
  const two = await vaults.add(second.id, stale);
  await vaults.change(one, { display_name: "planted" });
  await vaults.validate(two);
  await vaults.good("POST", `/${second.id}/credentials/${one.id}/archive`);
  await vaults.good("POST", `/${second.id}/archive`);
  await vaults.good("DELETE", `/${second.id}`);
  const events = await told();
  assert.deepEqual(
    events.map(({ type, id, vault_id }) => [type, id, vault_id]),
    [
      ["vault.created", second.id, undefined],
      ["vault_credential.created", one.id, second.id],
      ["vault_credential.created", two.id, second.id],
      ["vault_credential.refresh_failed", two.id, second.id],
      ["vault_credential.archived", one.id, second.id],
      ["vault.archived", second.id, undefined],
      ["vault_credential.archived", two.id, second.id],
      ["vault_credential.deleted", one.id, second.id],
      ["vault_credential.deleted", two.id, second.id],
      ["vault.deleted", second.id, undefined],
    ],
  );
  assert.doesNotMatch(JSON.stringify(events), /planted/);
});
