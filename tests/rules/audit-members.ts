// The changes of members that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { Change } from "./audit-house.ts";
import { addMember, usersOf } from "./members-house.ts";

/** The house is there when they are made ready. */
export function memberChanges(houseOf: () => House): Record<string, Change> {
  const membersOf = async (tenant: Tenant) => (await usersOf(houseOf()).list(tenant)).body.data;
  return {
    "users.update": {
      action: "user.role_changed",
      prepare: async (tenant) => {
        const { id } = await addMember(houseOf(), tenant);
        return () => usersOf(houseOf()).setRole(tenant, id, "developer");
      },
      state: membersOf,
    },
    "users.delete": {
      action: "user.removed",
      prepare: async (tenant) => {
        const { id } = await addMember(houseOf(), tenant);
        return () => usersOf(houseOf()).remove(tenant, id);
      },
      state: membersOf,
    },
  };
}
