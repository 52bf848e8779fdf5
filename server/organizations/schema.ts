// Shapes of organizations.
import Type, { type Static } from "typebox";

export const Organization = Type.Object(
  { id: Type.String(), type: Type.Literal("organization"), name: Type.String() },
  { $id: "Organization" },
);
export type Organization = Static<typeof Organization>;

export const limits = {
  nameCharactersMax: 200,
  /** Of one organization, in any 60 seconds and in any hour, where the settings file says nothing else. */
  requestsPerMinute: 100,
  invitesPerHour: 1_200,
  /** Of its keys that may administer nothing, in any 60 seconds and in each process: all they get is 403. */
  refusedPerMinute: 20,
  /** What the settings file may raise either to: the times of so many admissions are in a row. */
  budgetRequestsMax: 10_000,
  /** Of this process: organizations that it need not ask the database for. */
  budgetsRememberedMax: 10_000,
  /** Rule ORG9: of the 20 connections of a process. */
  changesAtOnce: 4,
} as const;
export const OrganizationName = Type.String({ minLength: 1, maxLength: limits.nameCharactersMax });
