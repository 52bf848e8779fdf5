// Shapes of the agents that an agent may work with: as they are sent, as they are kept, and as they are shown.
import Type, { type Static, type TSchema } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { limits } from "../limits.ts";
import { Id, ModelName, nullable, optional, VersionNumber } from "./shapes.ts";

const AgentMemberInput = closed({
  type: Type.Literal("agent"),
  id: Id,
  version: optional(nullable(VersionNumber)),
});
const SelfMember = closed({ type: Type.Literal("self") });
const MemberInput = Type.Union([Id, AgentMemberInput, SelfMember]);
export type MemberInput = Static<typeof MemberInput>;

const AdvisorMember = closed({ type: Type.Literal("advisor"), model: ModelName });
const RosterEntryInput = Type.Union([Id, AgentMemberInput, SelfMember, AdvisorMember]);
export type RosterEntryInput = Static<typeof RosterEntryInput>;

const CoordinatorInput = closed({
  type: Type.Literal("coordinator"),
  agents: Type.Array(RosterEntryInput, { minItems: 1, maxItems: limits.membersMax }),
});

const Disabled = closed({ type: Type.Literal("disabled") });
const Switch = closed({ type: Type.Enum(["enabled", "disabled"]) });
const MembersInput = optional(
  nullable(
    Type.Union([
      closed({
        type: Type.Literal("enabled"),
        inline_agents: optional(nullable(Switch)),
        predefined_agents: optional(
          nullable(Type.Array(MemberInput, { maxItems: limits.membersMax })),
        ),
      }),
      Disabled,
    ]),
  ),
);
export type MembersInput = Static<typeof MembersInput>;
const EnabledAdvisor = closed({ type: Type.Literal("enabled"), model: ModelName });
const AdvisorInput = optional(nullable(Type.Union([EnabledAdvisor, Disabled])));

const Multiagent20261001Input = closed({
  type: Type.Literal("multiagent_20261001"),
  subagents: MembersInput,
  workflows: MembersInput,
  advisor: AdvisorInput,
});
export type Multiagent20261001Input = Static<typeof Multiagent20261001Input>;

export const MultiagentInput = Type.Union([CoordinatorInput, Multiagent20261001Input]);
export type MultiagentInput = Static<typeof MultiagentInput>;

const AgentReference = Type.Object({
  type: Type.Literal("agent"),
  id: Type.String(),
  version: Type.Integer(),
});

const multiagentOf = <M extends TSchema, E extends TSchema>(member: M, entry: E) => {
  const members = Type.Union([
    Type.Object({
      type: Type.Literal("enabled"),
      inline_agents: Type.Object({ type: Type.Enum(["enabled", "disabled"]) }),
      predefined_agents: Type.Array(member),
    }),
    Type.Object({ type: Type.Literal("disabled") }),
  ]);
  return Type.Union([
    Type.Object({ type: Type.Literal("coordinator"), agents: Type.Array(entry) }),
    Type.Object({
      type: Type.Literal("multiagent_20261001"),
      subagents: members,
      workflows: members,
      advisor: Type.Union([
        Type.Object({ type: Type.Literal("enabled"), model: Type.String() }),
        Type.Object({ type: Type.Literal("disabled") }),
      ]),
    }),
  ]);
};

/** As it is shown: every member with the version that it has here. */
export const Multiagent = multiagentOf(
  AgentReference,
  Type.Union([
    AgentReference,
    Type.Object({ type: Type.Literal("advisor"), model: Type.String() }),
  ]),
);
export type Multiagent = Static<typeof Multiagent>;

/** As it is kept: an agent that is its own member follows its own versions. */
const KeptMember = Type.Union([AgentReference, SelfMember]);
export type KeptMember = Static<typeof KeptMember>;
const KeptMultiagent = multiagentOf(
  KeptMember,
  Type.Union([AgentReference, SelfMember, AdvisorMember]),
);
export type KeptMultiagent = Static<typeof KeptMultiagent>;
export type KeptMembers = Extract<KeptMultiagent, { type: "multiagent_20261001" }>["subagents"];
