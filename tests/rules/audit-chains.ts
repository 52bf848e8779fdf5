// What the tests of chains share: organizations with a chain, and an attacker who owns the database.
import type { House } from "../house.ts";
import * as audit from "../../server/audit/module.ts";

let count = 0;

export function chainsOf(houseOf: () => House) {
  const run = (text: string, values: unknown[] = []) => houseOf().world.db.query({ text, values });
  const write = (organizationId: string, details: Record<string, unknown> = {}) =>
    houseOf().world.db.tx((tx) =>
      audit.record(tx, houseOf().world, audit.operator, {
        organizationId,
        action: "thing.changed",
        target: { type: "thing", id: "thing_1" },
        details,
      }),
    );

  /** The triggers are his. */
  async function tamper(statement: string, values: unknown[] = []): Promise<void> {
    const tables = ["audit_events", "audit_heads"];
    await houseOf().world.db.tx(async (tx) => {
      for (const table of tables)
        await tx.query({ text: `alter table ${table} disable trigger user`, values: [] });
      await tx.query({ text: statement, values });
      for (const table of tables)
        await tx.query({ text: `alter table ${table} enable trigger user`, values: [] });
    });
  }

  return {
    run,
    write,
    tamper,
    /** An organization's worth of chain, with so many events. */
    chain: async (events = 7): Promise<string> => {
      const id = `org_chain_${(count += 1)}`;
      for (let number = 1; number <= events; number++) await write(id, { number });
      return id;
    },
    look: (organizationId: string) => audit.verifyOne(houseOf().world, organizationId),
    anchor: () => audit.anchorAll(houseOf().world, AbortSignal.timeout(60_000)),
    /** He knows how hashes are made, too, and makes all of them anew from an event on. */
    rehash: (organizationId: string, from: number) =>
      tamper(`do $do$ declare event audit_events; before bytea; begin
        select hash into before from audit_events
          where organization_id = '${organizationId}' and seq = ${from} - 1;
        for event in select * from audit_events
          where organization_id = '${organizationId}' and seq >= ${from} order by seq loop
          event.previous_hash := before;
          before := audit_hash(event);
          update audit_events set previous_hash = event.previous_hash, hash = before
            where id = event.id;
          update audit_heads set seq = event.seq, hash = before
            where organization_id = '${organizationId}';
        end loop; end $do$`),
  };
}
