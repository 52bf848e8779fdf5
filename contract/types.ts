// The shapes on the wire. Generated from the route table by tools/contract.ts: do not edit.

export type Agent = {
  id: string;
  type: "agent";
  version: number;
  name: string;
  description: string | null;
  model: {
    id: string;
    effort?: {
      type: "low" | "medium" | "high" | "xhigh" | "max";
    } | "low" | "medium" | "high" | "xhigh" | "max";
    speed: "standard" | "fast";
    inference_geo?: string;
  };
  system: string | null;
  system_prompt: string | null;
  tools: (AgentToolset | McpToolset | AgentCustomTool)[];
  mcp_servers: {
    type: "url";
    name: string;
    url: string;
  }[];
  skills: {
    type: "anthropic" | "custom";
    skill_id: string;
    version: string;
  }[];
  metadata: Record<string, string>;
  multiagent: {
    type: "coordinator";
    agents: ({
      type: "agent";
      id: string;
      version: number;
    } | {
      type: "advisor";
      model: string;
    })[];
  } | {
    type: "multiagent_20261001";
    subagents: {
      type: "enabled";
      inline_agents: {
        type: "enabled" | "disabled";
      };
      predefined_agents: {
        type: "agent";
        id: string;
        version: number;
      }[];
    } | {
      type: "disabled";
    };
    workflows: {
      type: "enabled";
      inline_agents: {
        type: "enabled" | "disabled";
      };
      predefined_agents: {
        type: "agent";
        id: string;
        version: number;
      }[];
    } | {
      type: "disabled";
    };
    advisor: {
      type: "enabled";
      model: string;
    } | {
      type: "disabled";
    };
  } | null;
  execution_identity: {
    type: "service_account";
  } | {
    type: "aws_role";
    role_arn: string;
  };
  created_at: string;
  updated_at: string;
  archived_at: string | null;
};

export type AgentCustomTool = {
  type: "custom";
  name: string;
  description: string;
  input_schema: {
    type: "object";
  };
};

export type AgentToolset = {
  type: "agent_toolset_20260401";
  default_config: {
    enabled: boolean;
    permission_policy: {
      type: "always_allow" | "always_ask" | "auto";
    };
  };
  configs: ({
    name: "bash" | "edit" | "read" | "write" | "glob" | "grep";
    type: "bash" | "edit" | "read" | "write" | "glob" | "grep";
    enabled: boolean;
    permission_policy: {
      type: "always_allow" | "always_ask" | "auto";
    };
  } | {
    name: "web_search";
    type: "web_search";
    enabled: boolean;
    permission_policy: {
      type: "always_allow" | "always_ask" | "auto";
    };
    allowed_domains?: string[];
    blocked_domains?: string[];
    user_location: {
      type: "approximate";
      city: string | null;
      country: string | null;
      region: string | null;
      timezone: string | null;
    } | null;
  } | {
    name: "web_fetch";
    type: "web_fetch";
    enabled: boolean;
    permission_policy: {
      type: "always_allow" | "always_ask" | "auto";
    };
    allowed_domains?: string[];
    blocked_domains?: string[];
    max_content_tokens: number | null;
    url_sources: {
      user_input: {
        type: "all" | "none";
      } | null;
      client_tool_results: {
        type: "all" | "none";
      } | {
        type: "only" | "except";
        tools: {
          type: "tool_reference";
          name: string;
        }[];
      } | null;
      server_tool_results: {
        type: "all" | "none";
      } | {
        type: "only" | "except";
        tools: {
          type: "tool_reference";
          name: string;
        }[];
      } | null;
    } | null;
  })[];
};

export type Alert = {
  id: string;
  type: "alert";
  kind: "spend" | "error_share" | "upstream_down" | "job_backlog";
  state: "firing" | "resolved";
  summary: string;
  subject: {
    type: "organization" | "workspace" | "user" | "upstream" | "jobs" | "batches";
    id: string | null;
    name: string | null;
  };
  period: "daily" | "weekly" | "monthly" | null;
  value: number;
  threshold: number;
  firing_since: string;
  resolved_at: string | null;
  resolution: "well" | "rule_off" | "silent" | null;
};

export type AlertRule = {
  type: "alert_rule";
  kind: "spend" | "error_share" | "upstream_down" | "job_backlog";
  enabled: boolean;
  is_default: boolean;
  percents?: number[];
  percent?: number;
  minutes?: number;
  requests_min?: number;
  failures_min?: number;
};

export type AlertSettings = {
  type: "alert_settings";
  mail_administrators: boolean;
  mail_to: string[];
  has_mail_server: boolean;
  mail_failure: {
    at: string;
    error: string;
  } | null;
};

export type ApiKey = {
  id: string;
  type: "api_key";
  name: string;
  status: "active" | "inactive" | "archived" | "expired";
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  partial_key_hint: string | null;
  created_by: {
    id: string;
    type: "user" | "service_account";
  } | null;
  principal: {
    type: "user_actor";
    user_id: string;
  } | {
    type: "service_account_actor";
    service_account_id: string;
  } | null;
  scope: {
    type: "workspace";
    workspace_id: string;
  } | {
    type: "organization";
  };
};

export type AuditChain = {
  type: "audit_chain";
  events: number;
  unsealed: number;
  verified_events: number;
  verified_at: string | null;
  anchored_events: number;
  anchored_at: string | null;
  problem: string | null;
  found_at: string | null;
};

export type AuditEvent = {
  id: string;
  type: "audit_event";
  at: string;
  action: string;
  actor: {
    type: string;
    id: string | null;
    name: string | null;
  };
  target: {
    type: string;
    id: string;
  } | null;
  address: string;
  request_id: string | null;
  details: Record<string, unknown>;
  sequence: number;
  hash: string;
};

export type AuthorizationAsked = {
  type: "authorization_prompt";
  client: string;
  is_verified: boolean;
  returns_to: string | null;
  scopes: {
    scope: string;
    means: string;
  }[];
  refused: string[];
  person: string;
  organization: string;
  workspace: string | null;
  needs_workspace: boolean;
  address: string;
  user_agent: string;
  at: string;
};

export type AuthorizationProblem = {
  type: "authorization_problem";
  client: string;
  message: string;
  returns_to: string;
  redirect_to: string;
};

export type BatchResult = {
  custom_id: string;
  index: number;
  result: {
    type: "succeeded" | "errored" | "canceled" | "expired";
  } | null;
  type: "succeeded" | "errored" | "canceled" | "expired";
  outcome: "succeeded" | "refused" | "errored" | "canceled" | "expired";
  bytes: number;
};

export type BatchTotals = {
  id: string;
  type: "message_batch_totals";
  creator: {
    type: "user" | "service_account" | "api_key";
    id: string;
    name: string | null;
  };
  refused: number;
  spent: {
    amount: string;
    list_amount: string;
    currency: string;
    input_tokens: number;
    output_tokens: number;
    cache_write_tokens: number;
    cache_read_tokens: number;
  } | null;
  models: {
    model: string;
    attempts: number;
    amount: string;
    input_tokens: number;
    output_tokens: number;
  }[];
};

export type ConsoleInvite = {
  id: string;
  type: "invite";
  email: string;
  role: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user";
  status: "pending" | "accepted" | "expired" | "deleted" | "withdrawn";
  invited_at: string;
  expires_at: string;
  accepted_at: string | null;
  rbac_group_ids: string[];
  invited_by_name: string | null;
  has_link: boolean;
  mail: {
    status: "waiting" | "sent" | "failed";
    error: string | null;
    at: string;
  } | null;
};

export type ConsoleModel = {
  id: string;
  upstream?: string;
  upstream_model?: string;
  aliases?: string[];
  display_name?: string;
  created_at?: string;
  lifecycle?: "active" | "deprecated" | "retired";
  deprecated_at?: string | null;
  retires_at?: string | null;
  group?: string;
  max_input_tokens?: number | null;
  max_tokens?: number | null;
  efforts?: ("low" | "medium" | "high" | "xhigh" | "max")[];
  recommended_effort?: "low" | "medium" | "high" | "xhigh" | "max" | null;
  thinking?: ("enabled" | "adaptive" | "disabled" | "between_tools")[];
  effort_with_budget?: boolean;
  prefill?: boolean;
  vision?: boolean;
  documents?: boolean;
  tools?: boolean;
  structured_outputs?: boolean;
  prices?: {
    input: number;
    output: number;
    cache_write_5m?: number;
    cache_write_1h?: number;
    cache_read?: number;
  };
  allowed_fallback_models?: string[];
  fallback_routing?: {
    cyber?: string;
    bio?: string;
    frontier_llm?: string;
    reasoning_extraction?: string;
    general_harms?: string;
    none?: string;
  };
  classifiers?: {
    category: "cyber" | "bio" | "frontier_llm" | "reasoning_extraction" | "general_harms" | null;
    on: "input" | "output";
    pattern: string;
    explanation?: string;
  }[];
  guard?: string | null;
  cache_tokens_min?: number;
  pass?: string[];
  ignores?: ("thinking" | "effort")[];
  reports_cache?: boolean;
  origin: "built-in" | "console" | "settings";
};

export type ConsoleRateLimit = {
  type: "rate_limit";
  workspace_id: string | null;
  group: {
    id: string;
    type: "model_group";
    display_name: string;
  };
  models: string[];
  limits: {
    type: "requests_per_minute" | "input_tokens_per_minute" | "output_tokens_per_minute";
    value: number;
    org_limit: number | null;
    source: {
      type: "workspace" | "organization" | "settings" | "default";
    };
    used: number;
  }[];
};

export type ConsoleRbacGroup = {
  id: string;
  type: "rbac_group";
  name: string;
  source_type: "direct" | "scim";
  roles: string[] | null;
  role_ids: string[] | null;
  created_at: string;
  updated_at: string;
  controlled_by: string | null;
};

export type ConsoleRbacGroupMember = {
  type: "rbac_group_member";
  rbac_group_id: string;
  user_id: string;
  email: string;
  created_at: string;
  name: string;
  role: string;
};

export type ConsoleRbacRole = {
  id: string;
  type: "rbac_role";
  display_name: string;
  source: {
    type: "built_in" | "custom";
  };
  created_at: string;
  updated_at: string;
  description: string;
  actions: string[];
  grants_owner_access: boolean;
};

export type ConsoleSpendLimit = {
  type: "spend_limit";
  scope: {
    type: "organization";
  } | {
    type: "workspace";
    workspace_id: string;
  };
  workspace_name: string | null;
  period: "monthly";
  amount: string | null;
  period_to_date_spend: string;
  reserved: string;
};

export type ConsoleUpstream = {
  name: string;
  kind: "messages" | "chat" | "simulator";
  origin: "built-in" | "console" | "settings";
  base_url: string | null;
  key_hint: string | null;
  header_names: string[];
  pass: string[];
  timeouts?: {
    connect_ms?: number;
    first_byte_ms?: number;
    between_bytes_ms?: number;
    total_ms?: number;
  };
  scenario_turns: number;
};

export type ConsoleUpstreamHealth = {
  name: string;
  state: "works" | "failing" | "not_asked";
  failing_since: string | null;
  last_success_at: string | null;
  last_failure: {
    at: string;
    code: string;
  } | null;
  open: number;
  answer_ms: number | null;
  lately: {
    answered: number;
    failed: number;
    by_minute: {
      answered: number;
      failed: number;
    }[];
  };
};

export type ContentBlock = {
  type: string;
};

export type CostReportResult = {
  amount: string;
  currency: string;
  workspace_id: string | null;
  description: string | null;
  cost_type: string | null;
  context_window: string | null;
  inference_geo: string | null;
  model: string | null;
  service_tier: string | null;
  token_type: "uncached_input_tokens" | "cache_creation.ephemeral_5m_input_tokens" | "cache_creation.ephemeral_1h_input_tokens" | "cache_read_input_tokens" | "output_tokens" | null;
};

export type CostRow = {
  starting_at: string;
  ending_at: string;
  group: {
    actor: {
      type: "user_actor";
      user_id: string;
      name: string | null;
      email_address: string | null;
      deleted: boolean;
    } | {
      type: "service_account_actor";
      service_account_id: string;
    } | {
      type: "api_actor";
      api_key_id: string;
    } | null;
    actor_type: string | null;
    agent_id: string | null;
    api_key_id: string | null;
    claude_tag_category: string | null;
    claude_tag_user_id: string | null;
    context_window: string | null;
    deployment_id: string | null;
    environment_id: string | null;
    inference_geo: string | null;
    key_maker: {
      type: "user_actor";
      user_id: string;
      name: string | null;
      email_address: string | null;
      deleted: boolean;
    } | {
      type: "service_account_actor";
      service_account_id: string;
    } | {
      type: "api_actor";
      api_key_id: string;
    } | null;
    member: {
      type: "user_actor";
      user_id: string;
      name: string | null;
      email_address: string | null;
      deleted: boolean;
    } | {
      type: "service_account_actor";
      service_account_id: string;
    } | {
      type: "api_actor";
      api_key_id: string;
    } | null;
    model: string | null;
    organization_id: string | null;
    origin: string | null;
    product: string | null;
    rbac_group_id: string | null;
    service_tier: string | null;
    session_id: string | null;
    slack_channel_id: string | null;
    speed: string | null;
    user_profile_id: string | null;
    workspace_id: string | null;
    cost_type: "tokens" | "web_search" | "code_execution" | "session_usage" | null;
    token_type: "uncached_input_tokens" | "cache_creation.ephemeral_5m_input_tokens" | "cache_creation.ephemeral_1h_input_tokens" | "cache_read_input_tokens" | "output_tokens" | null;
  };
  cost: {
    amount: string;
    list_amount: string;
    currency: string;
    requests: number | null;
  };
};

export type CountRequest = {
  model: string;
  messages: MessageTurn[];
  system?: string | ContentBlock[];
  tools?: MessageTool[];
  tool_choice?: {
    type: "auto";
    disable_parallel_tool_use?: boolean;
  } | {
    type: "any";
    disable_parallel_tool_use?: boolean;
  } | {
    type: "tool";
    name: string;
    disable_parallel_tool_use?: boolean;
  } | {
    type: "none";
  };
  thinking?: {
    type: "enabled";
    budget_tokens: number;
    display?: "summarized" | "omitted" | "updates" | null;
    block_binding?: Record<string, unknown> | null;
  } | {
    type: "adaptive";
    display?: "summarized" | "omitted" | "updates" | null;
    block_binding?: Record<string, unknown> | null;
  } | {
    type: "disabled";
  } | {
    type: "between_tools";
  } | null;
  output_config?: {
    effort?: "low" | "medium" | "high" | "xhigh" | "max" | null;
    format?: {
      type: "json_schema";
      schema: Record<string, unknown>;
    } | null;
    task_budget?: {
      type: "tokens";
      total: number;
      remaining?: number | null;
    } | null;
  } | null;
  output_format?: {
    type: "json_schema";
    schema: Record<string, unknown>;
  } | null;
  stop_sequences?: string[];
  stream?: boolean;
  metadata?: {
    user_id?: string | null;
  };
  service_tier?: "auto" | "standard_only";
  speed?: "standard" | "fast" | null;
  cache_control?: {
    type: "ephemeral";
    ttl?: "5m" | "1h";
  } | null;
  inference_geo?: string | null;
  diagnostics?: {
    previous_message_id?: string | null;
  } | null;
  billing_policy?: {
    type: "billing_policy";
    bill_to?: "self";
  } | null;
  temperature?: number;
  top_p?: number;
  top_k?: number;
  mcp_servers?: {
    type: "url";
    name: string;
    url: string;
    authorization_token?: string | null;
    tool_configuration?: {
      enabled?: boolean | null;
      allowed_tools?: string[] | null;
    } | null;
  }[];
  context_management?: {
    edits?: {
      type: string;
    }[];
  } | null;
  container?: string | {
    id?: string | null;
    skills?: {
      type: "anthropic" | "custom";
      skill_id: string;
      version?: string;
    }[] | null;
  } | null;
  compaction?: {
    type: "summarize";
    instructions?: string | null;
  } | null;
  max_tokens?: number;
};

export type Credential = {
  id: string;
  type: "credential";
  kind: "api_key" | "admin_key" | "oauth_token" | "environment_key" | "session_token";
  name: string;
  organization: {
    id: string;
    type: string;
    name: string;
  };
  workspace: {
    id: string;
    name: string;
  } | null;
  user: {
    id: string;
    name: string;
    email: string;
  } | null;
  service_account_id: string | null;
  environment_id: string | null;
  session_id: string | null;
  scopes: string[];
  permissions: string[];
};

export type DeletedEnvironment = {
  id: string;
  type: "environment_deleted";
};

export type DeletedFederationRuleWorkspace = {
  type: "federation_rule_workspace_deleted";
  federation_rule_id: string;
  workspace_id: string;
};

export type DeletedFile = {
  id: string;
  type: "file_deleted";
};

export type DeletedMcpServer = {
  id: string;
  type: "mcp_server_deleted";
};

export type DeletedMemory = {
  id: string;
  type: "memory_deleted";
};

export type DeletedMemoryStore = {
  id: string;
  type: "memory_store_deleted";
};

export type DeletedMessageBatch = {
  id: string;
  type: "message_batch_deleted";
};

export type DeletedPrompt = {
  id: string;
  type: "prompt_deleted";
};

export type DeletedServiceAccountWorkspaceMember = {
  type: "service_account_workspace_member_deleted";
  service_account_id: string;
  workspace_id: string;
};

export type DeletedSession = {
  id: string;
  type: "session_deleted";
};

export type DeletedSessionResource = {
  id: string;
  type: "session_resource_deleted";
};

export type DeletedSkill = {
  id: string;
  type: "skill_deleted";
};

export type DeletedSkillVersion = {
  id: string;
  type: "skill_version_deleted";
};

export type DeletedVault = {
  id: string;
  type: "vault_deleted";
};

export type DeletedVaultCredential = {
  id: string;
  type: "vault_credential_deleted";
};

export type DeletedWebhookEndpoint = {
  id: string;
  type: "webhook_endpoint_deleted";
};

export type Deployment = {
  id: string;
  type: "deployment";
  name: string;
  description: string | null;
  agent: {
    id: string;
    type: "agent";
    version: number;
  };
  environment_id: string;
  initial_events: ({
    type: string;
  } & Record<string, unknown>)[];
  resources: ({
    type: string;
  } & Record<string, unknown>)[];
  vault_ids: string[];
  schedule: {
    type: "cron";
    expression: string;
    timezone: string;
    last_run_at: string | null;
    upcoming_runs_at: string[];
  } | null;
  status: "active" | "paused" | "archived";
  paused_reason: {
    type: "manual" | "error";
    error?: {
      type: string;
    };
  } | null;
  budget: {
    type: "limit";
    max_list_cost: {
      amount: string;
      currency: "USD";
    };
  } | null;
  metadata: Record<string, string>;
  created_at: string;
  updated_at: string;
  archived_at: string | null;
};

export type DeploymentRun = {
  id: string;
  type: "deployment_run";
  deployment_id: string;
  agent: {
    id: string;
    type: "agent";
    version: number;
  };
  session_id: string | null;
  error: {
    type: string;
    message: string;
  } | null;
  trigger_context: {
    type: "manual" | "schedule";
    scheduled_at?: string;
  };
  created_at: string;
};

export type DeviceAsked = {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
};

export type EmailDomain = {
  id: string;
  type: "email_domain";
  domain: string;
  status: "pending" | "verified";
  verified_by: "dns" | "operator" | null;
  record_name: string;
  record_value: string;
  created_at: string;
  checked_at: string | null;
  verified_at: string | null;
};

export type Environment = {
  id: string;
  type: "environment";
  name: string;
  description: string | null;
  config: {
    type: "cloud";
    networking: {
      type: "unrestricted";
    } | {
      type: "limited";
      allowed_hosts: string[];
      allow_mcp_servers: boolean;
      allow_package_managers: boolean;
    };
    packages: {
      type: "packages";
      apt: string[];
      cargo: string[];
      gem: string[];
      go: string[];
      npm: string[];
      pip: string[];
    };
    sandbox?: {
      guarantees: ("fs" | "processes" | "memory" | "cpu" | "disk" | "network" | "kernel")[];
      processes_max?: number;
      memory_mib?: number;
      cpus?: number;
      workspace_mib?: number;
      tmp_mib?: number;
    };
  } | {
    type: "self_hosted";
  };
  metadata: Record<string, string>;
  scope: "organization";
  created_at: string;
  updated_at: string;
  archived_at: string | null;
};

export type EnvironmentKey = {
  id: string;
  type: "environment_key";
  environment_id: string;
  name: string | null;
  partial_key_hint: string;
  created_by: string;
  created_at: string;
  revoked_at: string | null;
};

/** What every error looks like. */
export type ErrorEnvelope = {
  type: "error";
  error: {
    /** The kind of error. New kinds may be added. */
    type: string;
    /** A sentence for people. It may change. */
    message: string;
    /** For programs: `error_code`, a stable cause, and what belongs to it. */
    details?: {
      error_code?: string;
    } & Record<string, unknown>;
  };
  request_id: string | null;
};

export type FallbackEntry = {
  model: string;
};

export type FederationIssuer = {
  id: string;
  type: "federation_issuer";
  name: string;
  issuer_url: string;
  jwks: {
    type: "discovery";
    discovery_base: string | null;
    ca_cert_pem: string | null;
  } | {
    type: "explicit_url";
    url: string;
    ca_cert_pem: string | null;
  } | {
    type: "inline";
    keys: Record<string, unknown>[];
  };
  check_jti: boolean;
  max_jwt_lifetime_seconds: number;
  jwks_polling_disabled_at: string | null;
  poll_status: {
    consecutive_failures: number;
    last_fetched_at: string | null;
    next_poll_at: string | null;
    last_failure: string | null;
  } | null;
  created_at: string;
  created_by_actor_id: string | null;
  updated_at: string;
  updated_by_actor_id: string | null;
  archived_at: string | null;
  archived_by_actor_id: string | null;
};

export type FederationRefusal = {
  type: "federation_refusal";
  id: string;
  at: string;
  address: string;
  reason: string;
  sentence: string;
  subject: string | null;
};

export type FederationRule = {
  id: string;
  type: "federation_rule";
  name: string;
  description: string | null;
  issuer_id: string;
  issuer_name: string | null;
  match: {
    subject_prefix: string | null;
    claims: Record<string, string> | null;
    condition: string | null;
    audience: string | null;
  };
  target: {
    type: "service_account";
    service_account_id: string;
    service_account_name: string | null;
  };
  oauth_scope: string;
  token_lifetime_seconds: number;
  applies_to_all_workspaces: boolean;
  workspace_ids: string[];
  workspace_id: string | null;
  attributes: null;
  created_at: string;
  created_by_actor_id: string | null;
  updated_at: string;
  updated_by_actor_id: string | null;
  archived_at: string | null;
  archived_by_actor_id: string | null;
};

export type FederationRuleTest = {
  type: "federation_rule_test";
  passed: boolean;
  checks: {
    name: string;
    title: string;
    state: "passed" | "failed" | "skipped";
    detail: string | null;
  }[];
  claims: Record<string, unknown> | null;
  workspace_id: string | null;
  expires_in: number | null;
};

export type FederationRuleWorkspace = {
  type: "federation_rule_workspace";
  federation_rule_id: string;
  workspace_id: string;
  workspace_name: string | null;
  created_at: string;
  created_by_actor_id: string | null;
};

export type FileMetadata = {
  id: string;
  type: "file";
  filename: string;
  mime_type: string;
  size_bytes: number;
  created_at: string;
  downloadable: boolean;
  expires_at: string | null;
  scope: {
    type: "session";
    id: string;
  } | null;
};

export type FoundObject = {
  type: string;
  id: string;
  name: string | null;
  detail: string | null;
  workspace_id: string | null;
  console_url: string;
};

export type IdentityProvider = {
  type: "identity_provider";
  name: string | null;
  provisioning: "none" | "jit" | "scim";
  controls_roles: boolean;
  controls_groups: boolean;
  default_role: string;
  invites_own_domains: boolean;
  default_roles: string[];
  has_groups: boolean;
};

export type ImportedMemoryStore = {
  id: string;
  type: "memory_store";
  name: string;
  description: string;
  metadata: Record<string, string>;
  created_at: string;
  updated_at: string;
  archived_at: string | null;
  memory_count: number;
  size_bytes: number;
  imported: {
    memories: number;
    versions: number;
    skipped: string[];
  };
};

export type Invite = {
  id: string;
  type: "invite";
  email: string;
  role: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user";
  status: "pending" | "accepted" | "expired" | "deleted" | "withdrawn";
  invited_at: string;
  expires_at: string;
  accepted_at: string | null;
  rbac_group_ids: string[];
};

export type Key = {
  id: string;
  type: "key";
  kind: "api" | "admin" | "oauth";
  name: string;
  status: "active" | "inactive" | "archived" | "expired";
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  partial_key_hint: string;
  created_by: {
    id: string;
    type: "user" | "service_account";
    name: string | null;
  } | null;
  workspace_id: string | null;
  workspace_name: string | null;
  scopes: string[];
};

export type LimitsInUse = {
  type: "limits";
  rate_limits: ConsoleRateLimit[];
  spend_limits: ConsoleSpendLimit[];
  month: string;
};

export type LoggedRequest = {
  id: string;
  type: "request";
  at: string;
  ended_at: string;
  origin: "api" | "batch" | "console" | "session";
  operation: string;
  method: string | null;
  path: string | null;
  workspace_id: string | null;
  credential_id: string;
  user_id: string | null;
  session_id: string | null;
  batch_id: string | null;
  status: number;
  error: {
    type: string;
    message: string;
  } | null;
  model: string | null;
  served_model: string | null;
  upstream: string | null;
  fell_back: boolean;
  stop_reason: string | null;
  usage: {
    input_tokens: number;
    output_tokens: number;
    cache_creation_input_tokens: number;
    cache_read_input_tokens: number;
  } | null;
  cost: {
    amount: string;
    currency: "USD";
  } | null;
  first_token_ms: number | null;
  duration_ms: number;
  attempts: {
    model: string;
    upstream: string;
    is_guard: boolean;
    outcome: string | null;
    why: string | null;
    start_ms: number;
    first_ms: number | null;
    end_ms: number | null;
    input_tokens: number;
    output_tokens: number;
    cache_creation_input_tokens: number;
    cache_read_input_tokens: number;
    cost: {
      amount: string;
      currency: "USD";
    };
  }[];
};

export type McpConnection = {
  id: string;
  type: "mcp_connection";
  mcp_server_id: string;
  vault_id: string;
  status: "pending" | "connected" | "failed";
  error: string | null;
  authorization_url: string | null;
  credential_id: string | null;
  expires_at: string;
};

export type McpServer = {
  id: string;
  type: "mcp_server";
  name: string;
  url: string;
  description: string | null;
  vault_id: string | null;
  health: {
    status: "unknown" | "connected" | "failed";
    last_asked_at: string | null;
    last_connected_at: string | null;
    last_error: string | null;
  };
  tools_count: number | null;
  versions: {
    name: string;
    version: string;
    revision: string;
    first_seen_at: string;
    last_seen_at: string;
  }[];
  created_at: string;
  updated_at: string;
};

export type McpServerTools = {
  type: "mcp_server_tools";
  mcp_server_id: string;
  status: "connected" | "unauthorized" | "failed";
  error: string | null;
  server: {
    name: string;
    version: string;
    revision: string;
  } | null;
  latency_ms: number;
  tools: {
    name: string;
    description: string;
    input_schema: Record<string, unknown>;
    is_reading: boolean;
    page_uri: string | null;
    is_for_pages: boolean;
  }[];
  has_more: boolean;
  changes: {
    added: string[];
    changed: string[];
    removed: string[];
  } | null;
};

export type McpToolPage = {
  type: "mcp_tool_page";
  mcp_server_id: string;
  name: string;
  status: "connected" | "unauthorized" | "failed";
  error: string | null;
  html: string | null;
  connects: string[];
  loads: string[];
};

export type McpToolResult = {
  type: "mcp_tool_result";
  mcp_server_id: string;
  name: string;
  status: "connected" | "unauthorized" | "failed";
  error: string | null;
  may_have_run: boolean;
  is_error: boolean;
  content: ({
    type: "text";
    text: string;
  } | {
    type: "image" | "document";
    source: {
      type: "base64";
      media_type: string;
      data: string;
    };
  })[];
  structured_content: Record<string, unknown> | null;
  latency_ms: number;
};

export type McpToolset = {
  type: "mcp_toolset";
  mcp_server_name: string;
  default_config: {
    enabled: boolean;
    permission_policy: {
      type: "always_allow" | "always_ask" | "auto";
    };
  };
  configs: {
    name: string;
    enabled: boolean;
    permission_policy: {
      type: "always_allow" | "always_ask" | "auto";
    };
  }[];
};

export type Member = {
  id: string;
  type: "member";
  email: string;
  name: string;
  role: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user";
  added_at: string;
  seat_tier: string | null;
  may: {
    roles: ("user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user")[];
    remove: boolean;
    sign_out: boolean;
    setup_link: boolean;
    receive_ownership: boolean;
  };
};

export type Memory = {
  id: string;
  type: "memory";
  memory_store_id: string;
  memory_version_id: string;
  path: string;
  content: string | null;
  content_sha256: string;
  content_size_bytes: number;
  created_at: string;
  updated_at: string;
};

export type MemoryMatch = {
  type: "memory_match";
  memory_id: string;
  memory_store_id: string;
  store_name: string;
  path: string;
  snippet: {
    text: string;
    is_match: boolean;
  }[];
  updated_at: string;
};

export type MemoryPrefix = {
  type: "memory_prefix";
  path: string;
};

export type MemoryStore = {
  id: string;
  type: "memory_store";
  name: string;
  description: string;
  metadata: Record<string, string>;
  created_at: string;
  updated_at: string;
  archived_at: string | null;
  memory_count: number;
  size_bytes: number;
};

export type MemoryVersion = {
  id: string;
  type: "memory_version";
  memory_store_id: string;
  memory_id: string;
  operation: "created" | "modified" | "deleted";
  path: string | null;
  content: string | null;
  content_sha256: string | null;
  content_size_bytes: number | null;
  created_at: string;
  created_by: {
    type: "api_actor";
    api_key_id: string;
  } | {
    type: "user_actor";
    user_id: string;
  } | {
    type: "session_actor";
    session_id: string;
  } | {
    type: "service_account_actor";
    service_account_id: string;
  } | null;
  redacted_at: string | null;
  redacted_by: {
    type: "api_actor";
    api_key_id: string;
  } | {
    type: "user_actor";
    user_id: string;
  } | {
    type: "session_actor";
    session_id: string;
  } | {
    type: "service_account_actor";
    service_account_id: string;
  } | null;
  redaction_reason: string | null;
  imported_at: string | null;
  imported_by: {
    type: "api_actor";
    api_key_id: string;
  } | {
    type: "user_actor";
    user_id: string;
  } | {
    type: "session_actor";
    session_id: string;
  } | {
    type: "service_account_actor";
    service_account_id: string;
  } | null;
};

export type Message = {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: ContentBlock[];
  stop_reason: string | null;
  stop_sequence: string | null;
  stop_details: {
    type: "refusal";
  } | null;
  usage: {
    input_tokens: number;
    output_tokens: number;
  };
};

export type MessageBatch = {
  id: string;
  type: "message_batch";
  processing_status: "in_progress" | "canceling" | "ended";
  request_counts: {
    processing: number;
    succeeded: number;
    errored: number;
    canceled: number;
    expired: number;
  };
  created_at: string;
  expires_at: string;
  ended_at: string | null;
  cancel_initiated_at: string | null;
  archived_at: string | null;
  results_url: string | null;
};

export type MessageBatchResultLine = {
  custom_id: string;
  result: {
    type: "succeeded";
    message: {
      id: string;
      type: "message";
    };
  } | {
    type: "errored";
    error: {
      type: "error";
      error: {
        type: string;
        message: string;
      };
      request_id: string | null;
    };
  } | {
    type: "canceled";
  } | {
    type: "expired";
  };
};

export type MessageRequest = {
  model: string;
  messages: MessageTurn[];
  system?: string | ContentBlock[];
  tools?: MessageTool[];
  tool_choice?: {
    type: "auto";
    disable_parallel_tool_use?: boolean;
  } | {
    type: "any";
    disable_parallel_tool_use?: boolean;
  } | {
    type: "tool";
    name: string;
    disable_parallel_tool_use?: boolean;
  } | {
    type: "none";
  };
  thinking?: {
    type: "enabled";
    budget_tokens: number;
    display?: "summarized" | "omitted" | "updates" | null;
    block_binding?: Record<string, unknown> | null;
  } | {
    type: "adaptive";
    display?: "summarized" | "omitted" | "updates" | null;
    block_binding?: Record<string, unknown> | null;
  } | {
    type: "disabled";
  } | {
    type: "between_tools";
  } | null;
  output_config?: {
    effort?: "low" | "medium" | "high" | "xhigh" | "max" | null;
    format?: {
      type: "json_schema";
      schema: Record<string, unknown>;
    } | null;
    task_budget?: {
      type: "tokens";
      total: number;
      remaining?: number | null;
    } | null;
  } | null;
  output_format?: {
    type: "json_schema";
    schema: Record<string, unknown>;
  } | null;
  stop_sequences?: string[];
  stream?: boolean;
  metadata?: {
    user_id?: string | null;
  };
  service_tier?: "auto" | "standard_only";
  speed?: "standard" | "fast" | null;
  cache_control?: {
    type: "ephemeral";
    ttl?: "5m" | "1h";
  } | null;
  inference_geo?: string | null;
  diagnostics?: {
    previous_message_id?: string | null;
  } | null;
  billing_policy?: {
    type: "billing_policy";
    bill_to?: "self";
  } | null;
  temperature?: number;
  top_p?: number;
  top_k?: number;
  mcp_servers?: {
    type: "url";
    name: string;
    url: string;
    authorization_token?: string | null;
    tool_configuration?: {
      enabled?: boolean | null;
      allowed_tools?: string[] | null;
    } | null;
  }[];
  context_management?: {
    edits?: {
      type: string;
    }[];
  } | null;
  container?: string | {
    id?: string | null;
    skills?: {
      type: "anthropic" | "custom";
      skill_id: string;
      version?: string;
    }[] | null;
  } | null;
  compaction?: {
    type: "summarize";
    instructions?: string | null;
  } | null;
  max_tokens: number;
  fallbacks?: "default" | FallbackEntry[];
  thread?: MessageThread;
  fallback_credit_token?: string | {
    token: string;
    mode?: "strict" | "best_effort";
  };
};

export type MessageThread = {
  type: "create";
} | {
  type: "continue";
  previous_message_id: string;
} | null;

export type MessageTool = {
  name?: string;
  type?: string;
  description?: string;
  input_schema?: Record<string, unknown>;
};

export type MessageTurn = {
  role: "user" | "assistant" | "system";
  content: string | ContentBlock[];
};

export type MessagesUsageResult = {
  uncached_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: {
    ephemeral_5m_input_tokens: number;
    ephemeral_1h_input_tokens: number;
  };
  output_tokens: number;
  server_tool_use: {
    web_search_requests: number;
  };
  account_id: string | null;
  api_key_id: string | null;
  context_window: string | null;
  inference_geo: string | null;
  model: string | null;
  service_account_id: string | null;
  service_tier: string | null;
  speed: string | null;
  workspace_id: string | null;
};

export type MissedOccurrences = {
  data: {
    first_at: string;
    until: string;
    count: number;
    is_more: boolean;
  }[];
};

export type ModelInfo = {
  id: string;
  type: "model";
  display_name: string;
  created_at: string;
  lifecycle: "active" | "deprecated" | "retired";
  deprecated_at: string | null;
  retires_at: string | null;
  line: null;
  max_input_tokens: number | null;
  max_tokens: number | null;
  capabilities: {
    batch: {
      supported: boolean;
    };
    citations: {
      supported: boolean;
    };
    code_execution: {
      supported: boolean;
    };
    compaction: {
      supported: boolean;
      summarize: {
        supported: boolean;
      };
    } | null;
    context_management: {
      supported: boolean;
      clear_thinking_20251015: null;
      clear_tool_uses_20250919: null;
      compact_20260112: null;
    };
    effort: {
      supported: boolean;
      low: {
        supported: boolean;
      };
      medium: {
        supported: boolean;
      };
      high: {
        supported: boolean;
      };
      max: {
        supported: boolean;
      };
      xhigh: {
        supported: boolean;
      } | null;
    };
    image_input: {
      supported: boolean;
    };
    pdf_input: {
      supported: boolean;
    };
    server_tools: {
      supported: boolean;
      web_search: {
        supported: boolean;
      };
      code_execution: {
        supported: boolean;
      };
    };
    structured_outputs: {
      supported: boolean;
    };
    thinking: {
      supported: boolean;
      types: {
        adaptive: {
          supported: boolean;
        };
        enabled: {
          supported: boolean;
        };
        disabled: {
          supported: boolean;
        };
        between_tools: {
          supported: boolean;
        };
      };
    };
  };
  allowed_fallback_models: string[] | null;
  recommended_effort: "low" | "medium" | "high" | "xhigh" | "max" | null;
};

export type NewEnvironmentKey = {
  id: string;
  type: "environment_key";
  environment_id: string;
  name: string | null;
  partial_key_hint: string;
  created_by: string;
  created_at: string;
  revoked_at: string | null;
  secret: string;
};

export type NewScimToken = {
  id: string;
  type: "scim_token";
  name: string;
  partial_token_hint: string;
  created_at: string;
  created_by: {
    id: string;
    name: string | null;
  };
  last_used_at: string | null;
  secret: string;
};

export type NewWebhookEndpoint = {
  id: string;
  created_at: string;
  description: string;
  disabled_reason: string;
  enabled_events: ("alert.firing" | "alert.resolved" | "audit_event.created" | "external_key.failed" | "external_key.recovered" | "user_profile.enforcement_action_opened" | "user_profile.enforcement_action_resolved" | "user_profile.program_status_updated")[];
  name: string;
  state: "enabled" | "disabled";
  updated_at: string;
  url: string;
  signing_secret: string;
};

export type NewWorkspaceWebhookEndpoint = {
  id: string;
  created_at: string;
  description: string;
  disabled_reason: string;
  enabled_events: ("session.created" | "session.pending" | "session.running" | "session.idled" | "session.requires_action" | "session.archived" | "session.deleted" | "session.updated" | "session.budget_reached" | "session.outcome_evaluation_ended" | "session.status_run_started" | "session.status_idled" | "session.status_rescheduled" | "session.status_terminated" | "session.thread_created" | "session.thread_idled" | "session.thread_terminated" | "agent.created" | "agent.updated" | "agent.archived" | "agent.deleted" | "deployment.created" | "deployment.updated" | "deployment.paused" | "deployment.unpaused" | "deployment.archived" | "deployment.deleted" | "deployment_run.started" | "deployment_run.succeeded" | "deployment_run.failed" | "environment.created" | "environment.updated" | "environment.archived" | "environment.deleted" | "vault.created" | "vault.archived" | "vault.deleted" | "vault_credential.created" | "vault_credential.archived" | "vault_credential.deleted" | "vault_credential.refresh_failed" | "memory_store.created" | "memory_store.archived" | "memory_store.deleted")[];
  name: string;
  state: "enabled" | "disabled";
  updated_at: string;
  url: string;
  signing_secret: string;
};

export type OauthMetadata = {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  registration_endpoint: string;
  device_authorization_endpoint: string;
  revocation_endpoint: string;
  userinfo_endpoint: string;
  response_types_supported: string[];
  grant_types_supported: string[];
  code_challenge_methods_supported: string[];
  token_endpoint_auth_methods_supported: string[];
  revocation_endpoint_auth_methods_supported: string[];
  authorization_response_iss_parameter_supported: boolean;
  client_id_metadata_document_supported: boolean;
  scopes_supported: string[];
};

export type Organization = {
  id: string;
  type: "organization";
  name: string;
};

export type Overview = {
  type: "overview";
  at: string;
  requests: {
    last_hour: {
      requests: number;
      errors: number;
    };
    hour_before: {
      requests: number;
      errors: number;
    };
    by_minute: number[];
    has_asked_a_model: boolean;
  };
  spend: {
    month: string;
    currency: "USD";
    spent: string;
    limits: {
      scope: "organization" | "workspace" | "member";
      id: string | null;
      name: string | null;
      period: "daily" | "weekly" | "monthly";
      limit: string;
      spent: string;
      is_blocked: boolean;
      resets_at: string;
    }[];
    blocked: number;
  } | null;
  upstreams: {
    name: string;
    state: "answering" | "slow" | "failing" | "quiet";
    last_hour: {
      answered: number;
      failed: number;
      first_ms_median: number | null;
      first_ms_95: number | null;
    };
    hour_before: {
      answered: number;
      failed: number;
      first_ms_median: number | null;
      first_ms_95: number | null;
    };
    last_answered_at: string | null;
    last_failed_at: string | null;
  }[] | null;
  top: {
    period: "yesterday" | "week" | "month";
    from: string;
    to: string;
    currency: "USD";
    models: {
      id: string;
      name: string;
      amount: string;
    }[];
    keys: {
      id: string;
      name: string;
      amount: string;
    }[];
    people: {
      id: string;
      name: string;
      amount: string;
    }[];
  } | null;
  under_way: {
    batches: {
      workspace_id: string;
      workspace_name: string;
      batches: number;
      requests: number;
      done: number;
    }[];
    sessions: {
      workspace_id: string;
      workspace_name: string;
      sessions: number;
    }[];
  };
  waiting: {
    kind: "session" | "spend_request" | "deployment" | "credential" | "webhook" | "invite";
    count: number;
    items: {
      id: string;
      name: string;
      workspace_id: string | null;
      count: number;
      since: string;
    }[];
  }[];
  storage: {
    files: number;
    skills: number;
    memory: number;
    batches: number;
    disk_free: number;
    disk_size: number;
  } | null;
};

export type PackageLayer = {
  type: "package_layer";
  host_id: string;
  state: "waiting" | "building" | "built" | "failed";
  manager: "apt" | "cargo" | "gem" | "go" | "npm" | "pip" | null;
  words: string | null;
  bytes: number;
  began_at: string | null;
  ended_at: string | null;
  used_at: string;
};

export type Passkey = {
  id: string;
  type: "passkey";
  name: string;
  backed_up: boolean;
  relying_party: string;
  usable: boolean;
  created_at: string;
  last_used_at: string | null;
};

export type ProgramSignIn = {
  id: string;
  type: "program_sign_in";
  client: string;
  scopes: string[];
  workspace_id: string | null;
  created_at: string;
  last_used_at: string;
  address: string;
  user_agent: string;
};

export type Prompt = {
  id: string;
  type: "prompt";
  name: string;
  version: number;
  created_at: string;
  updated_at: string;
  updated_by: string | null;
};

export type PromptVersion = {
  type: "prompt_version";
  prompt_id: string;
  version: number;
  model: string;
  created_at: string;
  created_by: string | null;
  /** A message request, as of `POST /v1/messages`. */
  request: {
    model: string;
    messages: Record<string, unknown>[];
  };
};

export type PromptVersionEntry = {
  type: "prompt_version";
  prompt_id: string;
  version: number;
  model: string;
  created_at: string;
  created_by: string | null;
};

export type ProtectedResource = {
  resource: string;
  authorization_servers: string[];
  scopes_supported: string[];
  bearer_methods_supported: string[];
  resource_name: string;
};

export type RateLimit = {
  id: string;
  type: "rate_limit";
  group: {
    id: string;
    type: "model_group";
    display_name: string;
  };
  limits: {
    type: "requests_per_minute" | "tokens_per_minute" | "tokens_per_day" | "input_tokens_per_minute" | "input_tokens_per_minute_cache_aware" | "output_tokens_per_minute" | "tool_uses_per_second" | "fast_itpmca" | "fast_otpm";
    value: number;
  }[];
  models: string[] | null;
};

export type RbacGroup = {
  id: string;
  type: "rbac_group";
  name: string;
  source_type: "direct" | "scim";
  roles: string[] | null;
  role_ids: string[] | null;
  created_at: string;
  updated_at: string;
};

export type RbacGroupMember = {
  type: "rbac_group_member";
  rbac_group_id: string;
  user_id: string;
  email: string;
  created_at: string;
};

export type RbacRole = {
  id: string;
  type: "rbac_role";
  display_name: string;
  source: {
    type: "built_in" | "custom";
  };
  created_at: string;
  updated_at: string;
};

export type RbacRolePermission = {
  type: "rbac_role_permission";
  action: string;
  resource: {
    type: "organization";
    organization_id: string;
  };
};

export type RefusedConnection = {
  type: "refused_connection";
  host: string;
  port: number;
  reason: "host" | "port" | "address" | "spelling";
  count: number;
  first_at: string;
  last_at: string;
};

export type RegisteredClient = {
  client_id: string;
  client_id_issued_at: number;
  client_name: string;
  application_type: "native" | "web";
  redirect_uris: string[];
  grant_types: string[];
  response_types: string[];
  token_endpoint_auth_method: "none";
  scope: string;
};

export type RequestBodiesDeleted = {
  type: "request_bodies_deleted";
  workspace_id: string;
  deleted: number;
};

export type RequestBody = {
  id: string;
  type: "request_body";
  at: string;
  expires_at: string;
  workspace_id: string;
  request: {
    text: string | null;
    is_cut: boolean;
    bytes: number;
  } | null;
  answer: {
    text: string | null;
    is_cut: boolean;
    bytes: number;
  } | null;
  error: {
    text: string | null;
    is_cut: boolean;
    bytes: number;
  } | null;
  ended: "complete" | "failed" | "client_left" | null;
};

export type RequestBodySettings = {
  type: "request_body_settings";
  workspace_id: string;
  enabled: boolean;
  max_bytes: number;
  kept_days: number;
  redact: ({
    type: "email" | "phone" | "card_number";
  } | {
    type: "field";
    field: string;
  } | {
    type: "word";
    word: string;
  })[];
  kept_since: string | null;
};

export type SandboxFacts = {
  provider: string;
  can_be_made: boolean;
  reason: string;
  mend?: string;
  limits: {
    processes_max: number;
    memory_mib: number;
    cpus: number;
    workspace_mib: number;
    tmp_mib: number;
  };
  guarantees: {
    name: "fs" | "processes" | "memory" | "cpu" | "disk" | "network" | "kernel";
    level: "enforced" | "best_effort" | "none";
    reason: string;
    mend?: string;
  }[];
};

export type ScimRequest = {
  id: string;
  type: "scim_request";
  at: string;
  method: string;
  path: string;
  status: number;
  milliseconds: number;
  problem: string | null;
};

export type ScimStatus = {
  type: "scim";
  base_url: string;
  active_users: number;
  inactive_users: number;
  groups: number;
};

export type ScimToken = {
  id: string;
  type: "scim_token";
  name: string;
  partial_token_hint: string;
  created_at: string;
  created_by: {
    id: string;
    name: string | null;
  };
  last_used_at: string | null;
};

export type SentEvents = {
  data: SessionEvent[];
};

export type ServiceAccount = {
  id: string;
  type: "service_account";
  name: string;
  description: string | null;
  organization_role: "developer" | "admin";
  created_at: string;
  created_by_actor_id: string | null;
  updated_at: string;
  updated_by_actor_id: string | null;
  archived_at: string | null;
  archived_by_actor_id: string | null;
};

export type ServiceAccountWorkspaceMember = {
  type: "service_account_workspace_member";
  service_account_id: string;
  workspace_id: string;
  workspace_role: "workspace_user" | "workspace_developer" | "workspace_restricted_developer" | "workspace_admin";
  implicit: boolean | null;
  created_by_actor_id: string | null;
};

export type Session = {
  id: string;
  type: "session";
  status: "idle" | "running" | "rescheduling" | "terminated";
  title: string | null;
  agent: {
    id: string;
    type: "agent";
    version: number;
    name: string;
    description: string | null;
    model: {
      id: string;
      effort?: {
        type: "low" | "medium" | "high" | "xhigh" | "max";
      } | "low" | "medium" | "high" | "xhigh" | "max";
      speed: "standard" | "fast";
      inference_geo?: string;
    };
    system: string | null;
    system_prompt: string | null;
    tools: (AgentToolset | McpToolset | AgentCustomTool)[];
    mcp_servers: {
      type: "url";
      name: string;
      url: string;
    }[];
    skills: {
      type: "anthropic" | "custom";
      skill_id: string;
      version: string;
    }[];
    multiagent: {
      type: "coordinator";
      agents: ({
        type: "agent";
        id: string;
        version: number;
      } | {
        type: "advisor";
        model: string;
      })[];
    } | {
      type: "multiagent_20261001";
      subagents: {
        type: "enabled";
        inline_agents: {
          type: "enabled" | "disabled";
        };
        predefined_agents: {
          type: "agent";
          id: string;
          version: number;
        }[];
      } | {
        type: "disabled";
      };
      workflows: {
        type: "enabled";
        inline_agents: {
          type: "enabled" | "disabled";
        };
        predefined_agents: {
          type: "agent";
          id: string;
          version: number;
        }[];
      } | {
        type: "disabled";
      };
      advisor: {
        type: "enabled";
        model: string;
      } | {
        type: "disabled";
      };
    } | null;
    execution_identity: {
      type: "service_account";
    } | {
      type: "aws_role";
      role_arn: string;
    };
  };
  environment_id: string;
  deployment_id: string | null;
  vault_ids: string[];
  resources: (SessionFile | SessionRepository | SessionMemoryStore)[];
  metadata: Record<string, string>;
  budget: {
    type: "limit";
    max_list_cost: {
      amount: string;
      currency: "USD";
    };
  } | null;
  usage: {
    input_tokens: number;
    output_tokens: number;
    cache_read_input_tokens: number;
    cache_creation: {
      ephemeral_5m_input_tokens: number;
      ephemeral_1h_input_tokens: number;
    };
    server_tool_use: {
      web_search_requests: number;
      web_fetch_requests: number;
    };
    list_cost: {
      amount: string;
      currency: "USD";
    };
    active_seconds: number;
  };
  stats: {
    active_seconds: number;
    duration_seconds: number;
  };
  outcome_evaluations: {
    type: "outcome_evaluation";
    outcome_id: string;
    description: string;
    iteration: number;
    result: string;
    explanation: string | null;
    completed_at: string | null;
  }[];
  created_at: string;
  updated_at: string;
  archived_at: string | null;
};

export type SessionEvent = {
  id: string;
  type: "user.message" | "user.interrupt" | "user.tool_confirmation" | "user.custom_tool_result" | "user.tool_result" | "user.define_outcome" | "system.message" | "agent.message" | "agent.thinking" | "agent.tool_use" | "agent.tool_result" | "agent.mcp_tool_use" | "agent.mcp_tool_result" | "agent.custom_tool_use" | "agent.thread_context_compacted" | "agent.thread_message_sent" | "agent.thread_message_received" | "session.status_running" | "session.status_idle" | "session.status_rescheduled" | "session.status_terminated" | "session.error" | "session.updated" | "session.usage" | "session.deleted" | "session.thread_created" | "session.thread_status_running" | "session.thread_status_idle" | "session.thread_status_rescheduled" | "session.thread_status_terminated" | "span.model_request_start" | "span.model_request_end" | "span.outcome_evaluation_start" | "span.outcome_evaluation_ongoing" | "span.outcome_evaluation_end" | "workflow_run.created" | "workflow_run.status_running" | "workflow_run.status_idle" | "workflow_run.phase_started" | "workflow_run.phase_ended" | "workflow_run.error" | "workflow_run.status_ended";
  processed_at: string | null;
} & Record<string, unknown>;

export type SessionFile = {
  id: string;
  type: "file";
  file_id: string;
  mount_path: string;
  created_at: string;
  updated_at: string;
};

export type SessionMemoryStore = {
  type: "memory_store";
  memory_store_id: string;
  access: "read_write" | "read_only";
  name: string;
  description: string;
  instructions: string | null;
  mount_path: string;
};

export type SessionMountNote = {
  id: string;
  kind: "conflict" | "refused" | "file" | "output" | "sandbox";
  memory_store_id: string | null;
  resource_id: string | null;
  text: string;
  created_at: string;
};

export type SessionMountedRepository = {
  id: string;
  state: "waiting" | "cloned" | "failed";
  message: string | null;
  tried_at: string | null;
};

export type SessionRepository = {
  id: string;
  type: "github_repository";
  url: string;
  mount_path: string;
  checkout: {
    type: "branch" | "commit";
  } & Record<string, unknown> | null;
  created_at: string;
  updated_at: string;
};

export type SessionThread = {
  id: string;
  type: "session_thread";
  session_id: string;
  parent_thread_id: string | null;
  status: "idle" | "running" | "rescheduling" | "terminated";
  agent: {
    id: string;
    type: "agent";
    version: number;
    name: string;
    description: string | null;
    model: {
      id: string;
      effort?: {
        type: "low" | "medium" | "high" | "xhigh" | "max";
      } | "low" | "medium" | "high" | "xhigh" | "max";
      speed: "standard" | "fast";
      inference_geo?: string;
    };
    system: string | null;
    system_prompt: string | null;
    tools: (AgentToolset | McpToolset | AgentCustomTool)[];
    mcp_servers: {
      type: "url";
      name: string;
      url: string;
    }[];
    skills: {
      type: "anthropic" | "custom";
      skill_id: string;
      version: string;
    }[];
    execution_identity: {
      type: "service_account";
    } | {
      type: "aws_role";
      role_arn: string;
    };
  };
  workflow_run_id: null;
  stats: {
    active_seconds: number;
    duration_seconds: number;
  };
  usage: {
    input_tokens: number;
    output_tokens: number;
    cache_read_input_tokens: number;
    cache_creation: {
      ephemeral_5m_input_tokens: number;
      ephemeral_1h_input_tokens: number;
    };
    server_tool_use: {
      web_search_requests: number;
      web_fetch_requests: number;
    };
    list_cost: {
      amount: string;
      currency: "USD";
    };
    active_seconds: number;
  };
  created_at: string;
  updated_at: string;
  archived_at: string | null;
};

export type SignOnConnection = {
  type: "sign_on_connection";
  name: string;
  issuer: string;
  client_id: string;
  scopes: string[];
  email_claim: string;
  name_claim: string;
  groups_claim: string | null;
  trusts_emails: boolean;
  provisioning: "none" | "jit" | "scim";
  controls_roles: boolean;
  default_role: string;
  role_rules: {
    group: string;
    role: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner";
  }[];
  enabled: boolean;
  required: boolean;
  tested_at: string | null;
  test: {
    passed: boolean;
    message: string;
    email: string | null;
    email_verified: boolean | null;
    name: string | null;
    groups: string[] | null;
    role: string | null;
  } | null;
  created_at: string;
  updated_at: string;
};

export type Skill = {
  id: string;
  type: "skill";
  display_name: string;
  latest_version_id: string;
  source: {
    type: "custom";
  };
  created_at: string;
  updated_at: string;
};

export type SkillVersion = {
  id: string;
  type: "skill_version";
  skill_id: string;
  name: string;
  description: string;
  created_at: string;
};

export type SpendLimit = {
  id: string;
  type: "spend_limit";
  scope: {
    type: "user";
    user_id: string;
  } | {
    type: "organization";
  } | {
    type: "workspace";
    workspace_id: string;
  };
  period: "daily" | "weekly" | "monthly";
  amount: string | null;
  currency: string;
  is_enabled: boolean;
  created_at: string;
  updated_at: string;
};

export type SpendLimitIncreaseRequest = {
  id: string;
  type: "spend_limit_increase_request";
  actor: {
    type: "user_actor";
    user_id: string;
    name: string | null;
    email_address: string | null;
    deleted: boolean;
  };
  period: "daily" | "weekly" | "monthly";
  status: "pending" | "approved" | "denied";
  reason: string | null;
  created_at: string;
  resolved_at: string | null;
  resolved_by: {
    type: "user_actor";
    user_id: string;
    name: string | null;
    email_address: string | null;
    deleted: boolean;
  } | {
    type: "scoped_api_key_actor";
    scoped_api_key_id: string;
  } | null;
  spend_summary: SpendSummary | null;
};

export type SpendSummary = {
  actor: {
    type: "user_actor";
    user_id: string;
    name: string | null;
    email_address: string | null;
    deleted: boolean;
  };
  period: "daily" | "weekly" | "monthly";
  amount: string | null;
  currency: string;
  period_to_date_spend: string;
  scope: {
    type: "user";
    user_id: string;
  } | {
    type: "organization";
  } | {
    type: "workspace";
    workspace_id: string;
  };
  source: {
    type: "user";
    user_id: string;
  } | {
    type: "organization";
  } | {
    type: "workspace";
    workspace_id: string;
  };
  spend_limit_id: string | null;
};

export type TokenReply = {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  scope: string;
  refresh_token?: string;
};

export type UsageRow = {
  starting_at: string;
  ending_at: string;
  group: {
    actor: {
      type: "user_actor";
      user_id: string;
      name: string | null;
      email_address: string | null;
      deleted: boolean;
    } | {
      type: "service_account_actor";
      service_account_id: string;
    } | {
      type: "api_actor";
      api_key_id: string;
    } | null;
    actor_type: string | null;
    agent_id: string | null;
    api_key_id: string | null;
    claude_tag_category: string | null;
    claude_tag_user_id: string | null;
    context_window: string | null;
    deployment_id: string | null;
    environment_id: string | null;
    inference_geo: string | null;
    key_maker: {
      type: "user_actor";
      user_id: string;
      name: string | null;
      email_address: string | null;
      deleted: boolean;
    } | {
      type: "service_account_actor";
      service_account_id: string;
    } | {
      type: "api_actor";
      api_key_id: string;
    } | null;
    member: {
      type: "user_actor";
      user_id: string;
      name: string | null;
      email_address: string | null;
      deleted: boolean;
    } | {
      type: "service_account_actor";
      service_account_id: string;
    } | {
      type: "api_actor";
      api_key_id: string;
    } | null;
    model: string | null;
    organization_id: string | null;
    origin: string | null;
    product: string | null;
    rbac_group_id: string | null;
    service_tier: string | null;
    session_id: string | null;
    slack_channel_id: string | null;
    speed: string | null;
    user_profile_id: string | null;
    workspace_id: string | null;
  };
  usage: {
    uncached_input_tokens: number;
    cache_read_input_tokens: number;
    cache_creation: {
      ephemeral_5m_input_tokens: number;
      ephemeral_1h_input_tokens: number;
    };
    output_tokens: number;
    server_tool_use: {
      web_search_requests: number;
    };
    total_tokens: number;
    requests: number | null;
  };
};

export type User = {
  id: string;
  type: "user";
  email: string;
  name: string;
  role: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user";
  added_at: string;
};

export type UserInfo = {
  sub: string;
  name: string;
  email: string | null;
  organization: {
    id: string;
    type: string;
    name: string;
  };
  workspace_id: string | null;
  scope: string;
};

export type Vault = {
  id: string;
  type: "vault";
  display_name: string;
  metadata: Record<string, string>;
  created_at: string;
  updated_at: string;
  archived_at: string | null;
};

export type VaultCredential = {
  id: string;
  type: "vault_credential";
  vault_id: string;
  auth: {
    type: "static_bearer";
    mcp_server_url: string;
  } | {
    type: "mcp_oauth";
    mcp_server_url: string;
    expires_at: string | null;
    refresh: {
      client_id: string;
      token_endpoint: string;
      token_endpoint_auth: {
        type: "none" | "client_secret_basic" | "client_secret_post";
      };
      resource: string | null;
      scope: string | null;
    } | null;
  } | {
    type: "environment_variable";
    secret_name: string;
    networking: {
      type: "unrestricted";
    } | {
      type: "limited";
      allowed_hosts: string[];
    };
    injection_location: {
      header: boolean;
      body: boolean;
    };
  };
  display_name: string | null;
  metadata: Record<string, string>;
  created_at: string;
  updated_at: string;
  archived_at: string | null;
};

export type VaultCredentialValidation = {
  type: "vault_credential_validation";
  credential_id: string;
  vault_id: string;
  status: "valid" | "invalid" | "unknown";
  validated_at: string;
  has_refresh_token: boolean;
  mcp_probe: {
    method: string;
    http_response: {
      status_code: number;
      content_type: string;
      body: string;
      body_truncated: boolean;
    } | null;
  } | null;
  refresh: {
    status: "succeeded" | "failed" | "connect_error" | "no_refresh_token";
    http_response: {
      status_code: number;
      content_type: string;
      body: string;
      body_truncated: boolean;
    } | null;
  } | null;
};

export type WaitingSession = {
  id: string;
  title: string | null;
  agent_name: string;
  updated_at: string;
  calls: {
    event: SessionEvent;
    needs: "confirmation" | "answer";
  }[];
  has_more_calls: boolean;
};

export type WebhookDelivery = {
  id: string;
  type: "webhook_delivery";
  event_id: string;
  event_type: string;
  is_test: boolean;
  state: "waiting" | "delivered" | "failed";
  attempts: number;
  created_at: string;
  attempted_at: string | null;
  next_attempt_at: string | null;
  status_code: number | null;
  error: string | null;
};

export type WebhookEndpoint = {
  id: string;
  created_at: string;
  description: string;
  disabled_reason: string;
  enabled_events: ("alert.firing" | "alert.resolved" | "audit_event.created" | "external_key.failed" | "external_key.recovered" | "user_profile.enforcement_action_opened" | "user_profile.enforcement_action_resolved" | "user_profile.program_status_updated")[];
  name: string;
  state: "enabled" | "disabled";
  updated_at: string;
  url: string;
};

export type WebhookSigningSecret = {
  signing_secret: string;
};

export type Work = {
  id: string;
  type: "work";
  environment_id: string;
  state: "queued" | "starting" | "active" | "stopping" | "stopped";
  data: {
    type: "session" | "healthcheck";
    id: string;
  };
  metadata: Record<string, string>;
  secret: string | null;
  created_at: string;
  acknowledged_at: string | null;
  started_at: string | null;
  latest_heartbeat_at: string | null;
  stop_requested_at: string | null;
  stopped_at: string | null;
};

export type WorkHeartbeat = {
  type: "work_heartbeat";
  state: "queued" | "starting" | "active" | "stopping" | "stopped";
  last_heartbeat: string;
  ttl_seconds: number;
  lease_extended: boolean;
};

export type WorkQueueStats = {
  type: "work_queue_stats";
  depth: number;
  pending: number;
  oldest_queued_at: string | null;
  workers_polling: number | null;
};

export type Workspace = {
  id: string;
  type: "workspace";
  name: string;
  created_at: string;
  archived_at: string | null;
  compartment_id: string;
  data_residency: {
    allowed_inference_geos: "unrestricted" | ("global" | "us")[];
    default_inference_geo: "global" | "us";
    workspace_geo: "us";
  };
  display_color: string;
  external_key_id: null;
  tags: Record<string, string>;
  user_profile_id: null;
};

export type WorkspaceDirectory = {
  path: string;
  entries: {
    name: string;
    type: "file" | "directory" | "link" | "other";
    target?: "file" | "directory" | "other" | "missing";
    size_bytes: number;
    modified_at: string;
  }[];
  is_truncated: boolean;
};

export type WorkspaceMember = {
  type: "workspace_member";
  user_id: string;
  workspace_id: string;
  workspace_role: "workspace_user" | "workspace_developer" | "workspace_restricted_developer" | "workspace_admin" | "workspace_billing";
};

export type WorkspaceRateLimit = {
  type: "workspace_rate_limit";
  rate_limit_id: string;
  workspace_id: string;
  group: {
    id: string;
    type: "model_group";
    display_name: string;
  };
  models: string[] | null;
  limits: {
    type: "requests_per_minute" | "tokens_per_minute" | "tokens_per_day" | "input_tokens_per_minute" | "input_tokens_per_minute_cache_aware" | "output_tokens_per_minute" | "tool_uses_per_second" | "fast_itpmca" | "fast_otpm";
    value: number;
    org_limit: number | null;
    source: {
      type: "workspace" | "organization";
    };
  }[];
};

export type WorkspaceWebhookEndpoint = {
  id: string;
  created_at: string;
  description: string;
  disabled_reason: string;
  enabled_events: ("session.created" | "session.pending" | "session.running" | "session.idled" | "session.requires_action" | "session.archived" | "session.deleted" | "session.updated" | "session.budget_reached" | "session.outcome_evaluation_ended" | "session.status_run_started" | "session.status_idled" | "session.status_rescheduled" | "session.status_terminated" | "session.thread_created" | "session.thread_idled" | "session.thread_terminated" | "agent.created" | "agent.updated" | "agent.archived" | "agent.deleted" | "deployment.created" | "deployment.updated" | "deployment.paused" | "deployment.unpaused" | "deployment.archived" | "deployment.deleted" | "deployment_run.started" | "deployment_run.succeeded" | "deployment_run.failed" | "environment.created" | "environment.updated" | "environment.archived" | "environment.deleted" | "vault.created" | "vault.archived" | "vault.deleted" | "vault_credential.created" | "vault_credential.archived" | "vault_credential.deleted" | "vault_credential.refresh_failed" | "memory_store.created" | "memory_store.archived" | "memory_store.deleted")[];
  name: string;
  state: "enabled" | "disabled";
  updated_at: string;
  url: string;
};

export type OauthMetadataReply = OauthMetadata;

export type OauthProtectedResourceReply = ProtectedResource;

export type OauthProtectedResourceMcpReply = ProtectedResource;

export type ConsoleAcceptInviteBody = {
  token: string;
  name: string;
  password: string;
};

export type ConsoleAcceptInviteReply = {
  user: {
    id: string;
    email: string;
    name: string;
    role: string;
  };
  organization: {
    id: string;
    type: "platform" | "enterprise" | "platform_cloud";
    name: string;
  };
};

export type ConsoleAlertRulesListReply = {
  data: AlertRule[];
};

export type ConsoleAlertRulesRetrieveParams = {
  kind: string;
};

export type ConsoleAlertRulesRetrieveReply = AlertRule;

export type ConsoleAlertRulesUpdateParams = {
  kind: string;
};

export type ConsoleAlertRulesUpdateBody = {
  enabled?: boolean | undefined;
  percents?: number[] | null | undefined;
  percent?: number | null | undefined;
  minutes?: number | null | undefined;
  requests_min?: number | null | undefined;
  failures_min?: number | null | undefined;
};

export type ConsoleAlertRulesUpdateReply = AlertRule;

export type ConsoleAlertSettingsRetrieveReply = AlertSettings;

export type ConsoleAlertSettingsUpdateBody = {
  mail_administrators?: boolean | undefined;
  mail_to?: string[] | undefined;
};

export type ConsoleAlertSettingsUpdateReply = AlertSettings;

export type ConsoleAlertsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  state?: "firing" | "resolved" | undefined;
};

export type ConsoleAlertsListReply = {
  data: Alert[];
  next_page: string | null;
};

export type ConsoleAlertsRetrieveParams = {
  alert_id: string;
};

export type ConsoleAlertsRetrieveReply = Alert;

export type ConsoleAnalyticsCostQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  starting_at: string;
  ending_at?: string | undefined;
  time_bucket_width?: "1m" | "1h" | "1d" | undefined;
  order?: "asc" | "desc" | undefined;
  exclude_deleted_users?: boolean | undefined;
  actor_ids?: string[] | undefined;
  actor_types?: ("user_actor" | "service_account_actor" | "federated_actor" | "api_actor")[] | undefined;
  agent_ids?: string[] | undefined;
  api_key_ids?: string[] | undefined;
  claude_tag_categories?: string[] | undefined;
  claude_tag_user_ids?: string[] | undefined;
  context_windows?: ("0-200k" | "200k-1M")[] | undefined;
  deployment_ids?: string[] | undefined;
  environment_ids?: string[] | undefined;
  inference_geos?: string[] | undefined;
  key_maker_ids?: string[] | undefined;
  member_ids?: string[] | undefined;
  models?: string[] | undefined;
  organization_ids?: string[] | undefined;
  origins?: ("api" | "batch" | "console" | "session")[] | undefined;
  products?: string[] | undefined;
  rbac_group_ids?: string[] | undefined;
  service_tiers?: ("batch" | "flex" | "flex_discount" | "priority" | "priority_on_demand" | "standard")[] | undefined;
  session_ids?: string[] | undefined;
  slack_channel_ids?: string[] | undefined;
  speeds?: ("fast" | "standard")[] | undefined;
  user_profile_ids?: string[] | undefined;
  workspace_ids?: string[] | undefined;
  group_by?: ("actor" | "actor_type" | "agent_id" | "api_key_id" | "claude_tag_category" | "claude_tag_user_id" | "context_window" | "deployment_id" | "environment_id" | "inference_geo" | "key_maker" | "member" | "model" | "organization_id" | "origin" | "product" | "rbac_group_id" | "service_tier" | "session_id" | "slack_channel_id" | "speed" | "user_profile_id" | "workspace_id" | "cost_type" | "token_type")[] | undefined;
  order_by?: "amount" | "list_amount" | "time" | undefined;
};

export type ConsoleAnalyticsCostReply = {
  data: CostRow[];
  has_more: boolean;
  next_page: string | null;
  data_refreshed_at: string | null;
};

export type ConsoleAnalyticsUsageQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  starting_at: string;
  ending_at?: string | undefined;
  time_bucket_width?: "1m" | "1h" | "1d" | undefined;
  order?: "asc" | "desc" | undefined;
  exclude_deleted_users?: boolean | undefined;
  actor_ids?: string[] | undefined;
  actor_types?: ("user_actor" | "service_account_actor" | "federated_actor" | "api_actor")[] | undefined;
  agent_ids?: string[] | undefined;
  api_key_ids?: string[] | undefined;
  claude_tag_categories?: string[] | undefined;
  claude_tag_user_ids?: string[] | undefined;
  context_windows?: ("0-200k" | "200k-1M")[] | undefined;
  deployment_ids?: string[] | undefined;
  environment_ids?: string[] | undefined;
  inference_geos?: string[] | undefined;
  key_maker_ids?: string[] | undefined;
  member_ids?: string[] | undefined;
  models?: string[] | undefined;
  organization_ids?: string[] | undefined;
  origins?: ("api" | "batch" | "console" | "session")[] | undefined;
  products?: string[] | undefined;
  rbac_group_ids?: string[] | undefined;
  service_tiers?: ("batch" | "flex" | "flex_discount" | "priority" | "priority_on_demand" | "standard")[] | undefined;
  session_ids?: string[] | undefined;
  slack_channel_ids?: string[] | undefined;
  speeds?: ("fast" | "standard")[] | undefined;
  user_profile_ids?: string[] | undefined;
  workspace_ids?: string[] | undefined;
  group_by?: ("actor" | "actor_type" | "agent_id" | "api_key_id" | "claude_tag_category" | "claude_tag_user_id" | "context_window" | "deployment_id" | "environment_id" | "inference_geo" | "key_maker" | "member" | "model" | "organization_id" | "origin" | "product" | "rbac_group_id" | "service_tier" | "session_id" | "slack_channel_id" | "speed" | "user_profile_id" | "workspace_id")[] | undefined;
  order_by?: "total_tokens" | "output_tokens" | "uncached_input_tokens" | "requests" | "time" | undefined;
};

export type ConsoleAnalyticsUsageReply = {
  data: UsageRow[];
  has_more: boolean;
  next_page: string | null;
  data_refreshed_at: string | null;
};

export type ConsoleAuditListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  action?: string | undefined;
  actor_id?: string | undefined;
  target_id?: string | undefined;
  address?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  q?: string | undefined;
};

export type ConsoleAuditListReply = {
  data: AuditEvent[];
  next_page: string | null;
};

export type ConsoleAuditActionsReply = {
  data: string[];
};

export type ConsoleAuditChainReply = AuditChain;

export type ConsoleAuditExportQuery = {
  format: "jsonl" | "csv";
  action?: string | undefined;
  actor_id?: string | undefined;
  target_id?: string | undefined;
  address?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  q?: string | undefined;
};

export type ConsoleAuthorizeReadBody = {
  response_type: string;
  client_id: string;
  redirect_uri: string;
  code_challenge: string;
  code_challenge_method: string;
  scope?: string | undefined;
  state?: string | undefined;
  resource?: string | undefined;
  workspace_id?: string | undefined;
};

export type ConsoleAuthorizeReadReply = AuthorizationAsked | AuthorizationProblem;

export type ConsoleAuthorizeApproveBody = {
  response_type: string;
  client_id: string;
  redirect_uri: string;
  code_challenge: string;
  code_challenge_method: string;
  scope?: string | undefined;
  state?: string | undefined;
  resource?: string | undefined;
  workspace_id?: string | undefined;
};

export type ConsoleAuthorizeApproveReply = {
  redirect_to: string;
};

export type ConsoleAuthorizeDenyBody = {
  response_type: string;
  client_id: string;
  redirect_uri: string;
  code_challenge: string;
  code_challenge_method: string;
  scope?: string | undefined;
  state?: string | undefined;
  resource?: string | undefined;
  workspace_id?: string | undefined;
};

export type ConsoleAuthorizeDenyReply = {
  redirect_to: string;
};

export type ConsoleBatchesTotalsQuery = {
  ids: string[];
};

export type ConsoleBatchesTotalsReply = {
  data: BatchTotals[];
};

export type ConsoleBatchesResultsParams = {
  message_batch_id: string;
};

export type ConsoleBatchesResultsQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  outcome?: ("succeeded" | "refused" | "errored" | "canceled" | "expired")[] | undefined;
  search?: string | undefined;
  custom_id?: string | undefined;
};

export type ConsoleBatchesResultsReply = {
  data: BatchResult[];
  next_page: string | null;
};

export type ConsoleBreakGlassSetParams = {
  user_id: string;
};

export type ConsoleBreakGlassSetBody = {
  break_glass: boolean;
};

export type ConsoleBreakGlassSetReply = {
  id: string;
  type: "user";
  break_glass: boolean;
};

export type ConsoleDeploymentsMissedParams = {
  deployment_id: string;
};

export type ConsoleDeploymentsMissedReply = MissedOccurrences;

export type ConsoleDeviceReadBody = {
  user_code: string;
};

export type ConsoleDeviceReadReply = AuthorizationAsked;

export type ConsoleDeviceApproveBody = {
  user_code: string;
};

export type ConsoleDeviceApproveReply = {
  decision: "granted" | "denied";
};

export type ConsoleDeviceDenyBody = {
  user_code: string;
};

export type ConsoleDeviceDenyReply = {
  decision: "granted" | "denied";
};

export type ConsoleEmailDomainsListReply = {
  data: EmailDomain[];
};

export type ConsoleEmailDomainsCreateBody = {
  domain: string;
};

export type ConsoleEmailDomainsCreateReply = EmailDomain;

export type ConsoleEmailDomainsDeleteParams = {
  email_domain_id: string;
};

export type ConsoleEmailDomainsDeleteReply = {
  id: string;
  type: "email_domain_deleted";
};

export type ConsoleEmailDomainsVerifyParams = {
  email_domain_id: string;
};

export type ConsoleEmailDomainsVerifyReply = EmailDomain;

export type ConsoleEnvironmentsPackagesParams = {
  environment_id: string;
};

export type ConsoleEnvironmentsPackagesReply = {
  data: PackageLayer[];
};

export type ConsoleEnvironmentsRefusedConnectionsParams = {
  environment_id: string;
};

export type ConsoleEnvironmentsRefusedConnectionsReply = {
  data: RefusedConnection[];
};

export type ConsoleEnvironmentsWorkListParams = {
  environment_id: string;
};

export type ConsoleEnvironmentsWorkListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type ConsoleEnvironmentsWorkListReply = {
  data: Work[];
  next_page: string | null;
};

export type ConsoleEnvironmentsWorkCheckParams = {
  environment_id: string;
};

export type ConsoleEnvironmentsWorkCheckReply = Work;

export type ConsoleFederationRulesRefusalsParams = {
  federation_rule_id: string;
};

export type ConsoleFederationRulesRefusalsReply = {
  data: FederationRefusal[];
};

export type ConsoleFederationRulesTestParams = {
  federation_rule_id: string;
};

export type ConsoleFederationRulesTestBody = {
  assertion: string;
  workspace_id?: string | undefined;
};

export type ConsoleFederationRulesTestReply = FederationRuleTest;

export type ConsoleFilesContentParams = {
  file_id: string;
};

export type ConsoleIdentityProviderGetReply = IdentityProvider;

export type ConsoleIdentityProviderUpdateBody = {
  name?: string | undefined;
  provisioning?: "none" | "jit" | "scim" | undefined;
  controls_roles?: boolean | undefined;
  controls_groups?: boolean | undefined;
  default_role?: string | undefined;
  invites_own_domains?: boolean | undefined;
};

export type ConsoleIdentityProviderUpdateReply = IdentityProvider;

export type ConsoleInviteLinkBody = {
  token: string;
};

export type ConsoleInviteLinkReply = {
  organization_name: string;
  email: string;
  role: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user";
  invited_by_name: string | null;
  expires_at: string;
};

export type ConsoleInvitesListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  email?: string | undefined;
  roles?: ("user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user")[] | undefined;
  statuses?: ("pending" | "accepted" | "expired")[] | undefined;
};

export type ConsoleInvitesListReply = {
  data: ConsoleInvite[];
  next_page: string | null;
};

export type ConsoleInvitesCreateBody = {
  email: string;
  role: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user";
  rbac_group_ids?: string[] | undefined;
};

export type ConsoleInvitesCreateReply = {
  invite: ConsoleInvite;
  link: string;
};

export type ConsoleInvitesDeleteParams = {
  invite_id: string;
};

export type ConsoleInvitesDeleteReply = {
  id: string;
  type: "invite_deleted";
};

export type ConsoleInvitesLinkParams = {
  invite_id: string;
};

export type ConsoleInvitesLinkReply = {
  invite: ConsoleInvite;
  link: string;
};

export type ConsoleInvitesSendParams = {
  invite_id: string;
};

export type ConsoleInvitesSendReply = ConsoleInvite;

export type ConsoleKeysListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  id?: string[] | undefined;
  kind?: ("api" | "admin" | "oauth")[] | undefined;
  status?: ("active" | "inactive" | "archived" | "expired")[] | undefined;
  workspace_id?: string | undefined;
  created_by_user_id?: string | undefined;
  unused_days?: number | undefined;
};

export type ConsoleKeysListReply = {
  data: Key[];
  next_page: string | null;
};

export type ConsoleKeysCreateBody = {
  name: string;
  kind: "api" | "admin";
  workspace_id?: string | undefined;
  expires_at?: string | undefined;
  scopes?: ("read:members" | "write:members" | "read:rbac_groups" | "write:rbac_groups" | "read:org_audit" | "read:analytics")[] | undefined;
};

export type ConsoleKeysCreateReply = {
  id: string;
  type: "key";
  kind: "api" | "admin" | "oauth";
  name: string;
  status: "active" | "inactive" | "archived" | "expired";
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  partial_key_hint: string;
  created_by: {
    id: string;
    type: "user" | "service_account";
    name: string | null;
  } | null;
  workspace_id: string | null;
  workspace_name: string | null;
  scopes: string[];
  secret: string;
};

export type ConsoleKeysUpdateParams = {
  key_id: string;
};

export type ConsoleKeysUpdateBody = {
  name?: string | null | undefined;
  status?: "active" | "inactive" | "archived" | null | undefined;
};

export type ConsoleKeysUpdateReply = Key;

export type ConsoleMcpConnectionsReadBody = {
  state: string;
};

export type ConsoleMcpConnectionsReadReply = {
  type: "mcp_connection_prompt";
  server: string;
  url: string;
  workspace: string;
  vault: string;
  asks: boolean;
};

export type ConsoleMcpConnectionsAnswerBody = {
  state: string;
  code?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
  error_description?: string | undefined;
};

export type ConsoleMcpConnectionsAnswerReply = {
  type: "mcp_connection_answered";
};

export type ConsoleMeReply = {
  user: {
    id: string;
    email: string;
    name: string;
    role: string;
  };
  organization: {
    id: string;
    type: "platform" | "enterprise" | "platform_cloud";
    name: string;
  };
  workspaces: {
    id: string;
    name: string;
    is_default: boolean;
    display_color: string;
    role: "workspace_user" | "workspace_developer" | "workspace_restricted_developer" | "workspace_admin" | "workspace_billing" | null;
    makes_keys: boolean;
  }[];
  permissions: string[];
};

export type ConsoleMembersActsReply = {
  invite_roles: ("user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user")[];
  invites_closed: string | null;
  mail: boolean;
};

export type ConsoleMemorySearchQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  q: string;
  memory_store_id?: string | undefined;
};

export type ConsoleMemorySearchReply = {
  data: MemoryMatch[];
  next_page: string | null;
};

export type ConsoleModelsListReply = {
  data: ConsoleModel[];
  problems: string[];
};

export type ConsoleModelsSetBody = {
  id: string;
  upstream?: string | undefined;
  upstream_model?: string | undefined;
  aliases?: string[] | undefined;
  display_name?: string | undefined;
  created_at?: string | undefined;
  lifecycle?: "active" | "deprecated" | "retired" | undefined;
  deprecated_at?: string | null | undefined;
  retires_at?: string | null | undefined;
  group?: string | undefined;
  max_input_tokens?: number | null | undefined;
  max_tokens?: number | null | undefined;
  efforts?: ("low" | "medium" | "high" | "xhigh" | "max")[] | undefined;
  recommended_effort?: "low" | "medium" | "high" | "xhigh" | "max" | null | undefined;
  thinking?: ("enabled" | "adaptive" | "disabled" | "between_tools")[] | undefined;
  effort_with_budget?: boolean | undefined;
  prefill?: boolean | undefined;
  vision?: boolean | undefined;
  documents?: boolean | undefined;
  tools?: boolean | undefined;
  structured_outputs?: boolean | undefined;
  prices?: {
    input: number;
    output: number;
    cache_write_5m?: number | undefined;
    cache_write_1h?: number | undefined;
    cache_read?: number | undefined;
  } | undefined;
  allowed_fallback_models?: string[] | undefined;
  fallback_routing?: {
    cyber?: string | undefined;
    bio?: string | undefined;
    frontier_llm?: string | undefined;
    reasoning_extraction?: string | undefined;
    general_harms?: string | undefined;
    none?: string | undefined;
  } | undefined;
  classifiers?: {
    category: "cyber" | "bio" | "frontier_llm" | "reasoning_extraction" | "general_harms" | null;
    on: "input" | "output";
    pattern: string;
    explanation?: string | undefined;
  }[] | undefined;
  guard?: string | null | undefined;
  cache_tokens_min?: number | undefined;
  pass?: string[] | undefined;
  ignores?: ("thinking" | "effort")[] | undefined;
  reports_cache?: boolean | undefined;
};

export type ConsoleModelsSetReply = ConsoleModel;

export type ConsoleModelsDeleteParams = {
  model_id: string;
};

export type ConsoleRenameBody = {
  name: string;
};

export type ConsoleRenameReply = {
  id: string;
  name: string;
};

export type ConsoleObjectsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  query: string;
};

export type ConsoleObjectsListReply = {
  data: FoundObject[];
  next_page: string | null;
};

export type ConsoleMembersListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  role?: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user" | undefined;
  q?: string | undefined;
};

export type ConsoleMembersListReply = {
  data: Member[];
  next_page: string | null;
};

export type ConsoleMembersRetrieveParams = {
  user_id: string;
};

export type ConsoleMembersRetrieveReply = {
  id: string;
  type: "member";
  email: string;
  name: string;
  role: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user";
  added_at: string;
  seat_tier: string | null;
  may: {
    roles: ("user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user")[];
    remove: boolean;
    sign_out: boolean;
    setup_link: boolean;
    receive_ownership: boolean;
  };
  last_seen_at: string | null;
  last_key_use_at: string | null;
};

export type ConsoleMembersDeleteParams = {
  user_id: string;
};

export type ConsoleMembersDeleteReply = {
  id: string;
  type: "member_deleted";
};

export type ConsoleMembersEndSignInsParams = {
  user_id: string;
};

export type ConsoleMembersEndSignInsReply = User;

export type ConsoleMembersSetRoleParams = {
  user_id: string;
};

export type ConsoleMembersSetRoleBody = {
  role: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user";
};

export type ConsoleMembersSetRoleReply = Member;

export type ConsoleMembersMoveSeatParams = {
  user_id: string;
};

export type ConsoleMembersMoveSeatBody = {
  tier_id: string;
};

export type ConsoleMembersMoveSeatReply = {
  tiers: {
    id: string;
    type: "seat_tier";
    name: string;
    seats: number;
    taken: number;
  }[];
};

export type ConsoleOverviewReply = {
  keys: {
    active: number;
    used_last_day: number;
  };
  members: number;
  workspaces: number;
  requests: {
    last_hour: number;
    errors_last_hour: number;
    by_minute: number[];
  };
  server: {
    version: string;
    node: string;
    database: {
      kind: "embedded" | "external";
      version: string;
    };
    started_at: string;
    workers: number;
    public_url: string;
  };
};

export type ConsoleOrganizationsOverviewQuery = {
  period?: "yesterday" | "week" | "month" | undefined;
};

export type ConsoleOrganizationsOverviewReply = Overview;

export type ConsoleOwnSpendRetrieveReply = {
  data: SpendSummary[];
  requests: SpendLimitIncreaseRequest[];
};

export type ConsoleOwnSpendAskBody = {
  period: "daily" | "weekly" | "monthly";
  reason?: string | undefined;
};

export type ConsoleOwnSpendAskReply = SpendLimitIncreaseRequest;

export type ConsoleOwnershipTransferBody = {
  user_id: string;
  email: string;
};

export type ConsoleOwnershipTransferReply = Member;

export type ConsolePasskeyOptionsReply = {
  options: Record<string, unknown>;
};

export type ConsolePasskeySignInBody = {
  credential: {
    id: string;
    rawId: string;
    type: "public-key";
    authenticatorAttachment?: string | null | undefined;
    clientExtensionResults?: Record<string, unknown> | undefined;
    response: {
      clientDataJSON: string;
      authenticatorData: string;
      signature: string;
      userHandle?: string | null | undefined;
    };
  };
  ticket?: string | undefined;
};

export type ConsolePasskeySignInReply = {
  user: {
    id: string;
    email: string;
    name: string;
    role: string;
  };
  organization: {
    id: string;
    type: "platform" | "enterprise" | "platform_cloud";
    name: string;
  };
};

export type ConsolePasskeySignInOptionsBody = {
  ticket?: string | undefined;
};

export type ConsolePasskeySignInOptionsReply = {
  options: Record<string, unknown>;
};

export type ConsolePasskeysListReply = {
  data: Passkey[];
  has_password: boolean;
  second_step: boolean;
  relying_party: string | null;
  unavailable: string | null;
};

export type ConsolePasskeysCreateBody = {
  name: string;
  credential: {
    id: string;
    rawId: string;
    type: "public-key";
    authenticatorAttachment?: string | null | undefined;
    clientExtensionResults?: Record<string, unknown> | undefined;
    response: {
      clientDataJSON: string;
      attestationObject: string;
      transports?: string[] | undefined;
    };
  };
};

export type ConsolePasskeysCreateReply = Passkey;

export type ConsolePasskeysUpdateParams = {
  passkey_id: string;
};

export type ConsolePasskeysUpdateBody = {
  name: string;
};

export type ConsolePasskeysUpdateReply = Passkey;

export type ConsolePasskeysDeleteParams = {
  passkey_id: string;
};

export type ConsolePasskeysDeleteReply = {
  id: string;
  type: "passkey_deleted";
};

export type ConsolePasswordBody = {
  current_password: string;
  new_password: string;
};

export type ConsolePeopleQuery = {
  ids: string[];
};

export type ConsolePeopleReply = {
  data: {
    id: string;
    type: "person";
    name: string;
    removed_at: string | null;
  }[];
};

export type ConsoleProgramSignInsListReply = {
  data: ProgramSignIn[];
};

export type ConsoleProgramSignInsDeleteParams = {
  program_sign_in_id: string;
};

export type ConsoleProgramSignInsDeleteReply = {
  id: string;
  type: "program_sign_in_deleted";
};

export type ConsolePromptsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type ConsolePromptsListReply = {
  data: Prompt[];
  next_page: string | null;
};

export type ConsolePromptsCreateBody = {
  name: string;
  /** A message request, as of `POST /v1/messages`. */
  request: {
    model: string;
    messages: Record<string, unknown>[];
  };
};

export type ConsolePromptsCreateReply = PromptVersion;

export type ConsolePromptsRenameParams = {
  prompt_id: string;
};

export type ConsolePromptsRenameBody = {
  name: string;
};

export type ConsolePromptsRenameReply = Prompt;

export type ConsolePromptsDeleteParams = {
  prompt_id: string;
};

export type ConsolePromptsDeleteReply = DeletedPrompt;

export type ConsolePromptsVersionsListParams = {
  prompt_id: string;
};

export type ConsolePromptsVersionsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type ConsolePromptsVersionsListReply = {
  data: PromptVersionEntry[];
  next_page: string | null;
};

export type ConsolePromptsVersionsCreateParams = {
  prompt_id: string;
};

export type ConsolePromptsVersionsCreateBody = {
  /** A message request, as of `POST /v1/messages`. */
  request: {
    model: string;
    messages: Record<string, unknown>[];
  };
};

export type ConsolePromptsVersionsCreateReply = PromptVersion;

export type ConsolePromptsVersionsRetrieveParams = {
  prompt_id: string;
  version: string;
};

export type ConsolePromptsVersionsRetrieveReply = PromptVersion;

export type ConsoleProveBody = {
  current_password?: string | undefined;
  credential?: {
    id: string;
    rawId: string;
    type: "public-key";
    authenticatorAttachment?: string | null | undefined;
    clientExtensionResults?: Record<string, unknown> | undefined;
    response: {
      clientDataJSON: string;
      authenticatorData: string;
      signature: string;
      userHandle?: string | null | undefined;
    };
  } | undefined;
};

export type ConsoleProofOptionsReply = {
  options: Record<string, unknown>;
};

export type ConsoleRateLimitsListQuery = {
  workspace_id?: string | undefined;
};

export type ConsoleRateLimitsListReply = {
  data: ConsoleRateLimit[];
};

export type ConsoleRateLimitsSetBody = {
  workspace_id?: string | null | undefined;
  group: string;
  limits: {
    type: "requests_per_minute" | "input_tokens_per_minute" | "output_tokens_per_minute";
    value: number | null;
  }[];
};

export type ConsoleRateLimitsSetReply = ConsoleRateLimit;

export type ConsoleRbacRolesActionsReply = {
  data: {
    type: "rbac_action";
    action: string;
    variant: "capability" | "model_access" | "permission";
    gives: string;
    is_blanket: boolean;
    grants_owner_access: boolean;
  }[];
};

export type ConsoleRbacGroupsRetrieveParams = {
  rbac_group_id: string;
};

export type ConsoleRbacGroupsRetrieveReply = ConsoleRbacGroup;

export type ConsoleRbacGroupsMembersListParams = {
  rbac_group_id: string;
};

export type ConsoleRbacGroupsMembersListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type ConsoleRbacGroupsMembersListReply = {
  data: ConsoleRbacGroupMember[];
  next_page: string | null;
};

export type ConsoleRbacGroupsSetRolesParams = {
  rbac_group_id: string;
};

export type ConsoleRbacGroupsSetRolesBody = {
  role_ids: string[];
};

export type ConsoleRbacGroupsSetRolesReply = RbacGroup;

export type ConsoleRbacRolesListReply = {
  data: ConsoleRbacRole[];
};

export type ConsoleRbacRolesCreateBody = {
  display_name: string;
  description?: string | undefined;
  actions: string[];
};

export type ConsoleRbacRolesCreateReply = ConsoleRbacRole;

export type ConsoleRbacRolesUpdateParams = {
  rbac_role_id: string;
};

export type ConsoleRbacRolesUpdateBody = {
  display_name?: string | undefined;
  description?: string | undefined;
  actions?: string[] | undefined;
};

export type ConsoleRbacRolesUpdateReply = ConsoleRbacRole;

export type ConsoleRbacRolesDeleteParams = {
  rbac_role_id: string;
};

export type ConsoleRbacRolesDeleteReply = {
  id: string;
  type: "rbac_role_deleted";
};

export type ConsoleRbacRolesHoldersParams = {
  rbac_role_id: string;
};

export type ConsoleRbacRolesHoldersReply = {
  data: {
    id: string;
    type: "rbac_group";
    name: string;
    source_type: "direct" | "scim";
  }[];
  has_more: boolean;
};

export type ConsoleRequestsExportQuery = {
  format: "jsonl" | "csv";
  status?: string | undefined;
  model?: string | undefined;
  upstream?: string | undefined;
  credential_id?: string | undefined;
  user_id?: string | undefined;
  workspace_id?: string | undefined;
  session_id?: string | undefined;
  batch_id?: string | undefined;
  origin?: "api" | "batch" | "console" | "session" | undefined;
  operation?: string | undefined;
  stop_reason?: string | undefined;
  fell_back?: boolean | undefined;
  min_duration_ms?: number | undefined;
  min_cost?: string | undefined;
  error?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

export type ConsoleSandboxesRetrieveReply = SandboxFacts;

export type ConsoleScimGetReply = ScimStatus;

export type ConsoleScimRequestsListReply = {
  data: ScimRequest[];
};

export type ConsoleScimTokensListReply = {
  data: ScimToken[];
};

export type ConsoleScimTokensCreateBody = {
  name: string;
};

export type ConsoleScimTokensCreateReply = NewScimToken;

export type ConsoleScimTokensDeleteParams = {
  token_id: string;
};

export type ConsoleScimTokensDeleteReply = {
  id: string;
  type: "scim_token_deleted";
};

export type ConsoleSeatsListReply = {
  tiers: {
    id: string;
    type: "seat_tier";
    name: string;
    seats: number;
    taken: number;
  }[];
};

export type ConsoleSeatsSetBody = {
  tiers: {
    id?: string | undefined;
    name: string;
    seats: number;
  }[];
};

export type ConsoleSeatsSetReply = {
  tiers: {
    id: string;
    type: "seat_tier";
    name: string;
    seats: number;
    taken: number;
  }[];
};

export type ConsoleSecondStepBody = {
  required: boolean;
};

export type ConsoleSecondStepReply = {
  second_step: boolean;
};

export type ConsoleSessionsWaitingQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type ConsoleSessionsWaitingReply = {
  data: WaitingSession[];
  next_page: string | null;
};

export type ConsoleSessionsFilesListParams = {
  session_id: string;
};

export type ConsoleSessionsFilesListQuery = {
  path?: string | undefined;
};

export type ConsoleSessionsFilesListReply = WorkspaceDirectory;

export type ConsoleSessionsFilesContentParams = {
  session_id: string;
};

export type ConsoleSessionsFilesContentQuery = {
  path: string;
};

export type ConsoleSessionsMountNotesParams = {
  session_id: string;
};

export type ConsoleSessionsMountNotesReply = {
  data: SessionMountNote[];
  repositories: SessionMountedRepository[];
};

export type ConsoleSessionsRefusedConnectionsParams = {
  session_id: string;
};

export type ConsoleSessionsRefusedConnectionsReply = {
  data: RefusedConnection[];
};

export type ConsoleSetupBody = {
  token: string;
  email?: string | undefined;
  password: string;
  name?: string | undefined;
  organization_name?: string | undefined;
};

export type ConsoleSetupReply = {
  user: {
    id: string;
    email: string;
    name: string;
    role: string;
  };
  organization: {
    id: string;
    type: "platform" | "enterprise" | "platform_cloud";
    name: string;
  };
};

export type ConsoleSetupLinkBody = {
  token: string;
};

export type ConsoleSetupLinkReply = {
  organization_name: string;
  email: string | null;
};

export type ConsoleSetupLinksCreateParams = {
  user_id: string;
};

export type ConsoleSetupLinksCreateReply = {
  url: string;
  expires_at: string;
};

export type ConsoleSignInBody = {
  email: string;
  password: string;
  organization_id?: string | undefined;
};

export type ConsoleSignInReply = {
  user: {
    id: string;
    email: string;
    name: string;
    role: string;
  };
  organization: {
    id: string;
    type: "platform" | "enterprise" | "platform_cloud";
    name: string;
  };
};

export type ConsoleSignInMethodsReply = {
  recent: {
    user: {
      id: string;
      name: string;
      email: string;
    };
    role: string;
    method: string;
    at: string;
  }[];
  break_glass: {
    user: {
      id: string;
      name: string;
      email: string;
    };
    role: string;
    marked: boolean;
    has_password: boolean;
    passkeys: number;
    last_signed_in_at: string | null;
    last_signed_in_by: string | null;
    last_break_glass_at: string | null;
  }[];
  people_with_passkeys: number;
  domains: {
    domain: string;
    verified: boolean;
  }[];
};

export type ConsoleSignInsListReply = {
  data: {
    id: string;
    type: "sign_in";
    created_at: string;
    last_seen_at: string;
    address: string;
    user_agent: string;
    method: "password" | "password_and_passkey" | "passkey" | "single_sign_on" | "setup_link";
    current: boolean;
  }[];
};

export type ConsoleSignInsDeleteParams = {
  sign_in_id: string;
};

export type ConsoleSignInsDeleteReply = {
  id: string;
  type: "sign_in_deleted";
};

export type ConsoleSignOutEverywhereReply = {
  signed_out: number;
};

export type ConsoleSingleSignOnReadReply = {
  connection: SignOnConnection | null;
  redirect_uri: string;
  sign_in_url: string;
  roles: string[];
  default_roles: string[];
};

export type ConsoleSingleSignOnSetBody = {
  name: string;
  issuer: string;
  client_id: string;
  client_secret?: string | undefined;
  scopes?: string[] | undefined;
  email_claim?: string | undefined;
  name_claim?: string | undefined;
  groups_claim?: string | null | undefined;
  trusts_emails?: boolean | undefined;
  provisioning?: "none" | "jit" | undefined;
  controls_roles?: boolean | undefined;
  default_role?: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | undefined;
  role_rules?: {
    group: string;
    role: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner";
  }[] | undefined;
};

export type ConsoleSingleSignOnSetReply = SignOnConnection;

export type ConsoleSingleSignOnFindBody = {
  email?: string | undefined;
  organization_id?: string | undefined;
};

export type ConsoleSingleSignOnFindReply = {
  organization_id: string;
  organization_name: string;
  provider: string;
  required: boolean;
  url: string;
};

export type ConsoleSingleSignOnLinkBody = {
  stranger_id: string;
  email: string;
};

export type ConsoleSingleSignOnLinkReply = {
  id: string;
  type: "sign_on_identity";
  user_id: string;
};

export type ConsoleSingleSignOnUnlinkParams = {
  user_id: string;
};

export type ConsoleSingleSignOnUnlinkReply = {
  id: string;
  type: "sign_on_identity_deleted";
};

export type ConsoleSingleSignOnStrangersReply = {
  data: {
    id: string;
    type: "sign_on_stranger";
    subject: string;
    email: string | null;
    name: string | null;
    reason: string;
    seen_at: string;
  }[];
};

export type ConsoleSingleSignOnSwitchBody = {
  enabled?: boolean | undefined;
  required?: boolean | undefined;
};

export type ConsoleSingleSignOnSwitchReply = {
  connection: SignOnConnection | null;
  redirect_uri: string;
  sign_in_url: string;
  roles: string[];
  default_roles: string[];
};

export type ConsoleSingleSignOnTestReply = {
  url: string;
};

export type ConsoleSpendLimitIncreaseRequestsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  actor_ids?: string[] | undefined;
  status?: ("pending" | "approved" | "denied")[] | undefined;
};

export type ConsoleSpendLimitIncreaseRequestsListReply = {
  data: SpendLimitIncreaseRequest[];
  next_page: string | null;
};

export type ConsoleSpendLimitIncreaseRequestsRetrieveParams = {
  spend_limit_increase_request_id: string;
};

export type ConsoleSpendLimitIncreaseRequestsRetrieveReply = SpendLimitIncreaseRequest;

export type ConsoleSpendLimitIncreaseRequestsApproveParams = {
  spend_limit_increase_request_id: string;
};

export type ConsoleSpendLimitIncreaseRequestsApproveBody = {
  amount: string;
  period?: "daily" | "weekly" | "monthly" | null | undefined;
  suppress_notification?: boolean | undefined;
};

export type ConsoleSpendLimitIncreaseRequestsApproveReply = {
  id: string;
  type: "spend_limit_increase_request";
  actor: {
    type: "user_actor";
    user_id: string;
    name: string | null;
    email_address: string | null;
    deleted: boolean;
  };
  period: "daily" | "weekly" | "monthly";
  status: "pending" | "approved" | "denied";
  reason: string | null;
  created_at: string;
  resolved_at: string | null;
  resolved_by: {
    type: "user_actor";
    user_id: string;
    name: string | null;
    email_address: string | null;
    deleted: boolean;
  } | {
    type: "scoped_api_key_actor";
    scoped_api_key_id: string;
  } | null;
  spend_summary: SpendSummary | null;
  spend_limit: SpendLimit | null;
};

export type ConsoleSpendLimitIncreaseRequestsDenyParams = {
  spend_limit_increase_request_id: string;
};

export type ConsoleSpendLimitIncreaseRequestsDenyBody = {
  suppress_notification?: boolean | undefined;
};

export type ConsoleSpendLimitIncreaseRequestsDenyReply = SpendLimitIncreaseRequest;

export type ConsoleSpendLimitsListReply = {
  month: string;
  data: ConsoleSpendLimit[];
};

export type ConsoleSpendLimitsSetBody = {
  scope: {
    type: "organization";
  } | {
    type: "workspace";
    workspace_id: string;
  };
  period?: "monthly" | undefined;
  amount: string;
};

export type ConsoleSpendLimitsSetReply = ConsoleSpendLimit;

export type ConsoleSpendLimitsEffectiveQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  period?: ("daily" | "weekly" | "monthly")[] | undefined;
  user_ids?: string[] | undefined;
};

export type ConsoleSpendLimitsEffectiveReply = {
  data: SpendSummary[];
  next_page: string | null;
};

export type ConsoleSpendLimitsDeleteParams = {
  scope_id: string;
};

export type ConsoleUpstreamsListReply = {
  data: ConsoleUpstream[];
};

export type ConsoleUpstreamsSetBody = {
  name: string;
  kind: "messages" | "chat" | "simulator";
  base_url?: string | undefined;
  headers?: Record<string, string> | undefined;
  pass?: string[] | undefined;
  timeouts?: {
    connect_ms?: number | undefined;
    first_byte_ms?: number | undefined;
    between_bytes_ms?: number | undefined;
    total_ms?: number | undefined;
  } | undefined;
  key?: string | null | undefined;
  scenario?: {
    turn?: number | undefined;
    contains?: string | undefined;
    say?: string | undefined;
    tokens?: number | undefined;
    rate?: number | undefined;
    think?: number | undefined;
    tools?: {
      name: string;
      input?: Record<string, unknown> | undefined;
    }[] | undefined;
    refuse?: {
      category?: "cyber" | "bio" | "frontier_llm" | "reasoning_extraction" | "general_harms" | null | undefined;
      models?: string[] | undefined;
      after?: number | undefined;
    } | undefined;
    fail?: {
      status: number;
      times?: number | undefined;
      after?: number | undefined;
      retry_after?: number | undefined;
    } | undefined;
    stop?: "end_turn" | "max_tokens" | "stop_sequence" | "pause_turn" | "model_context_window_exceeded" | undefined;
    grade?: {
      result: "satisfied" | "needs_revision";
      explanation: string;
    } | undefined;
  }[] | undefined;
};

export type ConsoleUpstreamsSetReply = ConsoleUpstream;

export type ConsoleUpstreamsHealthReply = {
  data: ConsoleUpstreamHealth[];
  processes: {
    asked: number;
    answered: number;
  };
};

export type ConsoleUpstreamsTestBody = {
  name?: string | undefined;
  base_url?: string | undefined;
  key?: string | undefined;
};

export type ConsoleUpstreamsTestReply = {
  works: boolean;
  kind: "messages" | "chat" | "simulator" | null;
  models: string[];
  detail: string;
};

export type ConsoleUpstreamsDeleteParams = {
  upstream_name: string;
};

export type ConsoleUserSpendLimitsSetBody = {
  scope: {
    type: "user";
    user_id: string;
  } | {
    type: "organization";
  } | {
    type: "workspace";
    workspace_id: string;
  };
  period?: "daily" | "weekly" | "monthly" | undefined;
  amount: string | null;
};

export type ConsoleUserSpendLimitsSetReply = SpendLimit;

export type ConsoleUserSpendLimitsDeleteParams = {
  spend_limit_id: string;
};

export type ConsoleUserSpendLimitsDeleteReply = {
  id: string;
  type: "spend_limit_deleted";
};

export type ConsoleWebhooksDeliveriesParams = {
  webhook_endpoint_id: string;
};

export type ConsoleWebhooksDeliveriesReply = {
  data: WebhookDelivery[];
};

export type ConsoleWebhooksReplayParams = {
  webhook_endpoint_id: string;
  webhook_delivery_id: string;
};

export type ConsoleWebhooksReplayReply = WebhookDelivery;

export type ConsoleWebhooksTestParams = {
  webhook_endpoint_id: string;
};

export type ConsoleWebhooksTestBody = {
  event_type?: "alert.firing" | "alert.resolved" | "audit_event.created" | "external_key.failed" | "external_key.recovered" | "user_profile.enforcement_action_opened" | "user_profile.enforcement_action_resolved" | "user_profile.program_status_updated" | undefined;
};

export type ConsoleWebhooksTestReply = WebhookDelivery;

export type ConsoleWorkspacesListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
  ids?: string[] | undefined;
  include_archived?: boolean | undefined;
  include_default?: boolean | undefined;
};

export type ConsoleWorkspacesListReply = {
  data: Workspace[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type ConsoleWorkspacesCreateBody = {
  name: string;
  data_residency?: {
    allowed_inference_geos?: "unrestricted" | ("global" | "us")[] | null | undefined;
    default_inference_geo?: "global" | "us" | null | undefined;
    workspace_geo?: "us" | null | undefined;
  } | null | undefined;
  display_color?: string | null | undefined;
  external_key_id?: string | null | undefined;
  tags?: Record<string, string> | null | undefined;
  user_profile_id?: string | null | undefined;
};

export type ConsoleWorkspacesCreateReply = Workspace;

export type ConsoleWorkspacesRetrieveParams = {
  workspace_id: string;
};

export type ConsoleWorkspacesRetrieveReply = Workspace;

export type ConsoleWorkspacesUpdateParams = {
  workspace_id: string;
};

export type ConsoleWorkspacesUpdateBody = {
  name?: string | null | undefined;
  data_residency?: {
    allowed_inference_geos?: "unrestricted" | ("global" | "us")[] | null | undefined;
    default_inference_geo?: "global" | "us" | null | undefined;
    workspace_geo?: string | null | undefined;
  } | null | undefined;
  display_color?: string | null | undefined;
  external_key_id?: string | null | undefined;
  tags?: Record<string, string | null> | null | undefined;
  user_profile_id?: string | null | undefined;
};

export type ConsoleWorkspacesUpdateReply = Workspace;

export type ConsoleWorkspacesArchiveParams = {
  workspace_id: string;
};

export type ConsoleWorkspacesArchiveReply = Workspace;

export type ConsoleWorkspacesCandidatesParams = {
  workspace_id: string;
};

export type ConsoleWorkspacesCandidatesQuery = {
  email?: string | undefined;
};

export type ConsoleWorkspacesCandidatesReply = {
  data: {
    user_id: string;
    name: string;
    email: string;
  }[];
};

export type ConsoleWorkspacesMembersListParams = {
  workspace_id: string;
};

export type ConsoleWorkspacesMembersListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
};

export type ConsoleWorkspacesMembersListReply = {
  data: {
    type: "workspace_member";
    user_id: string;
    workspace_id: string;
    workspace_role: "workspace_user" | "workspace_developer" | "workspace_restricted_developer" | "workspace_admin" | "workspace_billing";
    name: string;
    email: string;
    added_at: string;
  }[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type ConsoleWorkspacesMembersAddParams = {
  workspace_id: string;
};

export type ConsoleWorkspacesMembersAddBody = {
  user_id: string;
  workspace_role: "workspace_user" | "workspace_developer" | "workspace_restricted_developer" | "workspace_admin";
};

export type ConsoleWorkspacesMembersAddReply = WorkspaceMember;

export type ConsoleWorkspacesMembersUpdateParams = {
  workspace_id: string;
  user_id: string;
};

export type ConsoleWorkspacesMembersUpdateBody = {
  workspace_role: "workspace_user" | "workspace_developer" | "workspace_restricted_developer" | "workspace_admin" | "workspace_billing";
};

export type ConsoleWorkspacesMembersUpdateReply = WorkspaceMember;

export type ConsoleWorkspacesMembersRemoveParams = {
  workspace_id: string;
  user_id: string;
};

export type ConsoleWorkspacesMembersRemoveReply = {
  type: "workspace_member_deleted";
  user_id: string;
  workspace_id: string;
};

export type ConsoleWorkspacesRequestBodiesRetrieveParams = {
  workspace_id: string;
};

export type ConsoleWorkspacesRequestBodiesRetrieveReply = RequestBodySettings;

export type ConsoleWorkspacesRequestBodiesUpdateParams = {
  workspace_id: string;
};

export type ConsoleWorkspacesRequestBodiesUpdateBody = {
  enabled?: boolean | undefined;
  max_bytes?: number | undefined;
  kept_days?: number | undefined;
  redact?: ({
    type: "email" | "phone" | "card_number";
  } | {
    type: "field";
    field: string;
  } | {
    type: "word";
    word: string;
  })[] | undefined;
};

export type ConsoleWorkspacesRequestBodiesUpdateReply = RequestBodySettings;

export type ConsoleWorkspacesRequestBodiesDeleteParams = {
  workspace_id: string;
};

export type ConsoleWorkspacesRequestBodiesDeleteReply = RequestBodiesDeleted;

export type ConsoleWorkspacesSpendParams = {
  workspace_id: string;
};

export type ConsoleWorkspacesSpendReply = {
  month: string;
  data: ConsoleSpendLimit[];
};

export type OperationsHealthReply = {
  status: "ok";
};

export type DocumentsOpenapiReply = {
  openapi: string;
};

export type OperationsReadyReply = {
  status: "ready";
  audit_export?: "ok" | "behind" | "failing";
};

export type AgentsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  include_archived?: boolean | undefined;
  created_at?: {
    gte?: string | undefined;
    lte?: string | undefined;
  } | undefined;
};

export type AgentsListReply = {
  data: Agent[];
  next_page: string | null;
};

export type AgentsCreateBody = {
  name: string;
  model: string | {
    id: string;
    effort?: "low" | "medium" | "high" | "xhigh" | "max" | {
      type: "low" | "medium" | "high" | "xhigh" | "max";
    } | null | undefined;
    speed?: "standard" | "fast" | null | undefined;
    inference_geo?: string | null | undefined;
  };
  description?: string | null | undefined;
  system?: string | null | undefined;
  system_prompt?: string | null | undefined;
  tools?: ({
    type: "agent_toolset_20260401";
    default_config?: {
      enabled?: boolean | null | undefined;
      permission_policy?: {
        type: "always_allow" | "always_ask" | "auto";
      } | null | undefined;
    } | null | undefined;
    configs?: {
      name: "bash" | "edit" | "read" | "write" | "glob" | "grep" | "web_fetch" | "web_search";
      type?: "bash" | "edit" | "read" | "write" | "glob" | "grep" | "web_fetch" | "web_search" | undefined;
      enabled?: boolean | null | undefined;
      permission_policy?: {
        type: "always_allow" | "always_ask" | "auto";
      } | null | undefined;
      allowed_domains?: string[] | null | undefined;
      blocked_domains?: string[] | null | undefined;
      user_location?: {
        type: "approximate";
        city?: string | null | undefined;
        country?: string | null | undefined;
        region?: string | null | undefined;
        timezone?: string | null | undefined;
      } | null | undefined;
      max_content_tokens?: number | null | undefined;
      url_sources?: {
        user_input?: "all" | "none" | {
          type: "all" | "none";
        } | null | undefined;
        client_tool_results?: "all" | "none" | {
          type: "all" | "none";
        } | {
          type: "only" | "except";
          tools: {
            type: "tool_reference";
            name: string;
          }[];
        } | null | undefined;
        server_tool_results?: "all" | "none" | {
          type: "all" | "none";
        } | {
          type: "only" | "except";
          tools: {
            type: "tool_reference";
            name: string;
          }[];
        } | null | undefined;
      } | null | undefined;
    }[] | null | undefined;
  } | {
    type: "mcp_toolset";
    mcp_server_name: string;
    default_config?: {
      enabled?: boolean | null | undefined;
      permission_policy?: {
        type: "always_allow" | "always_ask" | "auto";
      } | null | undefined;
    } | null | undefined;
    configs?: {
      name: string;
      enabled?: boolean | null | undefined;
      permission_policy?: {
        type: "always_allow" | "always_ask" | "auto";
      } | null | undefined;
    }[] | null | undefined;
  } | {
    type: "custom";
    name: string;
    description: string;
    input_schema: {
      type: "object";
      properties?: Record<string, unknown> | null | undefined;
      required?: string[] | null | undefined;
    };
  })[] | null | undefined;
  mcp_servers?: {
    type: "url";
    name: string;
    url: string;
  }[] | null | undefined;
  skills?: {
    type: "anthropic" | "custom";
    skill_id: string;
    version?: string | null | undefined;
  }[] | null | undefined;
  multiagent?: {
    type: "coordinator";
    agents: (string | {
      type: "agent";
      id: string;
      version?: number | null | undefined;
    } | {
      type: "self";
    } | {
      type: "advisor";
      model: string;
    })[];
  } | {
    type: "multiagent_20261001";
    subagents?: {
      type: "enabled";
      inline_agents?: {
        type: "enabled" | "disabled";
      } | null | undefined;
      predefined_agents?: (string | {
        type: "agent";
        id: string;
        version?: number | null | undefined;
      } | {
        type: "self";
      })[] | null | undefined;
    } | {
      type: "disabled";
    } | null | undefined;
    workflows?: {
      type: "enabled";
      inline_agents?: {
        type: "enabled" | "disabled";
      } | null | undefined;
      predefined_agents?: (string | {
        type: "agent";
        id: string;
        version?: number | null | undefined;
      } | {
        type: "self";
      })[] | null | undefined;
    } | {
      type: "disabled";
    } | null | undefined;
    advisor?: {
      type: "enabled";
      model: string;
    } | {
      type: "disabled";
    } | null | undefined;
  } | null | undefined;
  execution_identity?: {
    type: "service_account";
  } | {
    type: "aws_role";
    role_arn: string;
  } | null | undefined;
  metadata?: Record<string, string> | null | undefined;
};

export type AgentsCreateReply = Agent;

export type AgentsRetrieveParams = {
  agent_id: string;
};

export type AgentsRetrieveQuery = {
  version?: number | undefined;
};

export type AgentsRetrieveReply = Agent;

export type AgentsUpdateParams = {
  agent_id: string;
};

export type AgentsUpdateBody = {
  id?: string | undefined;
  type?: "agent" | undefined;
  created_at?: string | undefined;
  updated_at?: string | undefined;
  archived_at?: string | null | undefined;
  version?: number | undefined;
  name?: string | undefined;
  model?: string | {
    id: string;
    effort?: "low" | "medium" | "high" | "xhigh" | "max" | {
      type: "low" | "medium" | "high" | "xhigh" | "max";
    } | null | undefined;
    speed?: "standard" | "fast" | null | undefined;
    inference_geo?: string | null | undefined;
  } | undefined;
  description?: string | null | undefined;
  system?: string | null | undefined;
  system_prompt?: string | null | undefined;
  tools?: ({
    type: "agent_toolset_20260401";
    default_config?: {
      enabled?: boolean | null | undefined;
      permission_policy?: {
        type: "always_allow" | "always_ask" | "auto";
      } | null | undefined;
    } | null | undefined;
    configs?: {
      name: "bash" | "edit" | "read" | "write" | "glob" | "grep" | "web_fetch" | "web_search";
      type?: "bash" | "edit" | "read" | "write" | "glob" | "grep" | "web_fetch" | "web_search" | undefined;
      enabled?: boolean | null | undefined;
      permission_policy?: {
        type: "always_allow" | "always_ask" | "auto";
      } | null | undefined;
      allowed_domains?: string[] | null | undefined;
      blocked_domains?: string[] | null | undefined;
      user_location?: {
        type: "approximate";
        city?: string | null | undefined;
        country?: string | null | undefined;
        region?: string | null | undefined;
        timezone?: string | null | undefined;
      } | null | undefined;
      max_content_tokens?: number | null | undefined;
      url_sources?: {
        user_input?: "all" | "none" | {
          type: "all" | "none";
        } | null | undefined;
        client_tool_results?: "all" | "none" | {
          type: "all" | "none";
        } | {
          type: "only" | "except";
          tools: {
            type: "tool_reference";
            name: string;
          }[];
        } | null | undefined;
        server_tool_results?: "all" | "none" | {
          type: "all" | "none";
        } | {
          type: "only" | "except";
          tools: {
            type: "tool_reference";
            name: string;
          }[];
        } | null | undefined;
      } | null | undefined;
    }[] | null | undefined;
  } | {
    type: "mcp_toolset";
    mcp_server_name: string;
    default_config?: {
      enabled?: boolean | null | undefined;
      permission_policy?: {
        type: "always_allow" | "always_ask" | "auto";
      } | null | undefined;
    } | null | undefined;
    configs?: {
      name: string;
      enabled?: boolean | null | undefined;
      permission_policy?: {
        type: "always_allow" | "always_ask" | "auto";
      } | null | undefined;
    }[] | null | undefined;
  } | {
    type: "custom";
    name: string;
    description: string;
    input_schema: {
      type: "object";
      properties?: Record<string, unknown> | null | undefined;
      required?: string[] | null | undefined;
    };
  })[] | null | undefined;
  mcp_servers?: {
    type: "url";
    name: string;
    url: string;
  }[] | null | undefined;
  skills?: {
    type: "anthropic" | "custom";
    skill_id: string;
    version?: string | null | undefined;
  }[] | null | undefined;
  multiagent?: {
    type: "coordinator";
    agents: (string | {
      type: "agent";
      id: string;
      version?: number | null | undefined;
    } | {
      type: "self";
    } | {
      type: "advisor";
      model: string;
    })[];
  } | {
    type: "multiagent_20261001";
    subagents?: {
      type: "enabled";
      inline_agents?: {
        type: "enabled" | "disabled";
      } | null | undefined;
      predefined_agents?: (string | {
        type: "agent";
        id: string;
        version?: number | null | undefined;
      } | {
        type: "self";
      })[] | null | undefined;
    } | {
      type: "disabled";
    } | null | undefined;
    workflows?: {
      type: "enabled";
      inline_agents?: {
        type: "enabled" | "disabled";
      } | null | undefined;
      predefined_agents?: (string | {
        type: "agent";
        id: string;
        version?: number | null | undefined;
      } | {
        type: "self";
      })[] | null | undefined;
    } | {
      type: "disabled";
    } | null | undefined;
    advisor?: {
      type: "enabled";
      model: string;
    } | {
      type: "disabled";
    } | null | undefined;
  } | null | undefined;
  execution_identity?: {
    type: "service_account";
  } | {
    type: "aws_role";
    role_arn: string;
  } | null | undefined;
  metadata?: Record<string, string | null> | null | undefined;
};

export type AgentsUpdateReply = Agent;

export type AgentsArchiveParams = {
  agent_id: string;
};

export type AgentsArchiveReply = Agent;

export type AgentsVersionsListParams = {
  agent_id: string;
};

export type AgentsVersionsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type AgentsVersionsListReply = {
  data: Agent[];
  next_page: string | null;
};

export type CredentialRetrieveReply = Credential;

export type DeploymentRunsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  deployment_id?: string | undefined;
  has_error?: boolean | undefined;
  trigger_type?: "schedule" | "manual" | undefined;
  created_at?: {
    gt?: string | undefined;
    gte?: string | undefined;
    lt?: string | undefined;
    lte?: string | undefined;
  } | undefined;
};

export type DeploymentRunsListReply = {
  data: DeploymentRun[];
  next_page: string | null;
};

export type DeploymentRunsRetrieveParams = {
  deployment_run_id: string;
};

export type DeploymentRunsRetrieveReply = DeploymentRun;

export type DeploymentsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  agent_id?: string | undefined;
  status?: "active" | "paused" | undefined;
  include_archived?: boolean | undefined;
  created_at?: {
    gte?: string | undefined;
    lte?: string | undefined;
  } | undefined;
};

export type DeploymentsListReply = {
  data: Deployment[];
  next_page: string | null;
};

export type DeploymentsCreateBody = {
  name: string;
  agent: string | {
    type: "agent";
    id: string;
    version?: number | null | undefined;
  };
  environment_id: string;
  initial_events: ({
    type: "user.message";
    content: ({
      type: "text";
      text: string;
    } | {
      type: "image";
      source: {
        type: "base64";
        media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        data: string;
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
    } | {
      type: "document";
      source: {
        type: "base64";
        media_type: "application/pdf";
        data: string;
      } | {
        type: "text";
        media_type: "text/plain";
        data: string;
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
      title?: string | null | undefined;
      context?: string | null | undefined;
    } | {
      type: "redacted";
    })[];
  } | {
    type: "user.define_outcome";
    description: string;
    rubric: {
      type: "text";
      content: string;
    } | {
      type: "file";
      file_id: string;
    };
    max_iterations?: number | null | undefined;
  } | {
    type: "system.message";
    content: {
      type: "text";
      text: string;
    }[];
  })[];
  description?: string | null | undefined;
  schedule?: {
    type: "cron";
    expression: string;
    timezone: string;
    last_run_at?: string | null | undefined;
    upcoming_runs_at?: string[] | undefined;
  } | null | undefined;
  resources?: ({
    type: "file";
    file_id: string;
    mount_path?: string | null | undefined;
  } | {
    type: "github_repository";
    url: string;
    authorization_token?: string | null | undefined;
    checkout?: {
      type: "branch";
      name: string;
    } | {
      type: "commit";
      sha: string;
    } | null | undefined;
    mount_path?: string | null | undefined;
  } | {
    type: "memory_store";
    memory_store_id: string;
    access?: "read_write" | "read_only" | null | undefined;
    instructions?: string | null | undefined;
  })[] | null | undefined;
  vault_ids?: string[] | null | undefined;
  budget?: {
    type: "limit";
    max_list_cost: {
      amount: string;
      currency: "USD";
    };
  } | null | undefined;
  metadata?: Record<string, string> | null | undefined;
};

export type DeploymentsCreateReply = Deployment;

export type DeploymentsRetrieveParams = {
  deployment_id: string;
};

export type DeploymentsRetrieveReply = Deployment;

export type DeploymentsUpdateParams = {
  deployment_id: string;
};

export type DeploymentsUpdateBody = {
  id?: string | undefined;
  type?: "deployment" | undefined;
  created_at?: string | undefined;
  updated_at?: string | undefined;
  archived_at?: string | null | undefined;
  status?: "active" | "paused" | "archived" | undefined;
  paused_reason?: {
    type: "manual" | "error";
    error?: {
      type: string;
    } | undefined;
  } | null | undefined;
  name?: string | undefined;
  agent?: string | {
    type: "agent";
    id: string;
    version?: number | null | undefined;
  } | undefined;
  environment_id?: string | undefined;
  initial_events?: ({
    type: "user.message";
    content: ({
      type: "text";
      text: string;
    } | {
      type: "image";
      source: {
        type: "base64";
        media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        data: string;
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
    } | {
      type: "document";
      source: {
        type: "base64";
        media_type: "application/pdf";
        data: string;
      } | {
        type: "text";
        media_type: "text/plain";
        data: string;
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
      title?: string | null | undefined;
      context?: string | null | undefined;
    } | {
      type: "redacted";
    })[];
  } | {
    type: "user.define_outcome";
    description: string;
    rubric: {
      type: "text";
      content: string;
    } | {
      type: "file";
      file_id: string;
    };
    max_iterations?: number | null | undefined;
  } | {
    type: "system.message";
    content: {
      type: "text";
      text: string;
    }[];
  })[] | undefined;
  description?: string | null | undefined;
  schedule?: {
    type: "cron";
    expression: string;
    timezone: string;
    last_run_at?: string | null | undefined;
    upcoming_runs_at?: string[] | undefined;
  } | null | undefined;
  resources?: ({
    type: "file";
    file_id: string;
    mount_path?: string | null | undefined;
  } | {
    type: "github_repository";
    url: string;
    authorization_token?: string | null | undefined;
    checkout?: {
      type: "branch";
      name: string;
    } | {
      type: "commit";
      sha: string;
    } | null | undefined;
    mount_path?: string | null | undefined;
  } | {
    type: "memory_store";
    memory_store_id: string;
    access?: "read_write" | "read_only" | null | undefined;
    instructions?: string | null | undefined;
  })[] | null | undefined;
  vault_ids?: string[] | null | undefined;
  budget?: {
    type: "limit";
    max_list_cost: {
      amount: string;
      currency: "USD";
    };
  } | null | undefined;
  metadata?: Record<string, string | null> | null | undefined;
};

export type DeploymentsUpdateReply = Deployment;

export type DeploymentsArchiveParams = {
  deployment_id: string;
};

export type DeploymentsArchiveReply = Deployment;

export type DeploymentsPauseParams = {
  deployment_id: string;
};

export type DeploymentsPauseReply = Deployment;

export type DeploymentsRunParams = {
  deployment_id: string;
};

export type DeploymentsRunReply = DeploymentRun;

export type DeploymentsUnpauseParams = {
  deployment_id: string;
};

export type DeploymentsUnpauseReply = Deployment;

export type EnvironmentsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  include_archived?: boolean | undefined;
};

export type EnvironmentsListReply = {
  data: Environment[];
  next_page: string | null;
};

export type EnvironmentsCreateBody = {
  name: string;
  description?: string | null | undefined;
  config?: {
    type: "cloud";
    networking?: {
      type: "unrestricted";
    } | {
      type: "limited";
      allowed_hosts?: string[] | null | undefined;
      allow_mcp_servers?: boolean | null | undefined;
      allow_package_managers?: boolean | null | undefined;
    } | null | undefined;
    packages?: {
      type?: "packages" | null | undefined;
      apt?: string[] | null | undefined;
      cargo?: string[] | null | undefined;
      gem?: string[] | null | undefined;
      go?: string[] | null | undefined;
      npm?: string[] | null | undefined;
      pip?: string[] | null | undefined;
    } | null | undefined;
    sandbox?: {
      guarantees?: ("fs" | "processes" | "memory" | "cpu" | "disk" | "network" | "kernel")[] | undefined;
      processes_max?: number | undefined;
      memory_mib?: number | undefined;
      cpus?: number | undefined;
      workspace_mib?: number | undefined;
      tmp_mib?: number | undefined;
    } | null | undefined;
  } | {
    type: "self_hosted";
  } | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  scope?: "organization" | "account" | null | undefined;
};

export type EnvironmentsCreateReply = Environment;

export type EnvironmentsRetrieveParams = {
  environment_id: string;
};

export type EnvironmentsRetrieveReply = Environment;

export type EnvironmentsUpdateParams = {
  environment_id: string;
};

export type EnvironmentsUpdateBody = {
  id?: string | undefined;
  type?: "environment" | undefined;
  created_at?: string | undefined;
  updated_at?: string | undefined;
  archived_at?: string | null | undefined;
  name?: string | null | undefined;
  description?: string | null | undefined;
  config?: {
    type: "cloud";
    networking?: {
      type: "unrestricted";
    } | {
      type: "limited";
      allowed_hosts?: string[] | null | undefined;
      allow_mcp_servers?: boolean | null | undefined;
      allow_package_managers?: boolean | null | undefined;
    } | null | undefined;
    packages?: {
      type?: "packages" | null | undefined;
      apt?: string[] | null | undefined;
      cargo?: string[] | null | undefined;
      gem?: string[] | null | undefined;
      go?: string[] | null | undefined;
      npm?: string[] | null | undefined;
      pip?: string[] | null | undefined;
    } | null | undefined;
    sandbox?: {
      guarantees?: ("fs" | "processes" | "memory" | "cpu" | "disk" | "network" | "kernel")[] | undefined;
      processes_max?: number | undefined;
      memory_mib?: number | undefined;
      cpus?: number | undefined;
      workspace_mib?: number | undefined;
      tmp_mib?: number | undefined;
    } | null | undefined;
  } | {
    type: "self_hosted";
  } | null | undefined;
  metadata?: Record<string, string | null> | null | undefined;
  scope?: "organization" | "account" | null | undefined;
};

export type EnvironmentsUpdateReply = Environment;

export type EnvironmentsDeleteParams = {
  environment_id: string;
};

export type EnvironmentsDeleteReply = DeletedEnvironment;

export type EnvironmentsArchiveParams = {
  environment_id: string;
};

export type EnvironmentsArchiveReply = Environment;

export type EnvironmentsCheckParams = {
  environment_id: string;
};

export type EnvironmentsCheckReply = Work;

export type EnvironmentsKeysListParams = {
  environment_id: string;
};

export type EnvironmentsKeysListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type EnvironmentsKeysListReply = {
  data: EnvironmentKey[];
  next_page: string | null;
};

export type EnvironmentsKeysCreateParams = {
  environment_id: string;
};

export type EnvironmentsKeysCreateBody = {
  name?: string | null | undefined;
};

export type EnvironmentsKeysCreateReply = NewEnvironmentKey;

export type EnvironmentsKeysRevokeParams = {
  environment_id: string;
  environment_key_id: string;
};

export type EnvironmentsKeysRevokeReply = EnvironmentKey;

export type EnvironmentsWorkListParams = {
  environment_id: string;
};

export type EnvironmentsWorkListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type EnvironmentsWorkListReply = {
  data: Work[];
  next_page: string | null;
};

export type EnvironmentsWorkPollParams = {
  environment_id: string;
};

export type EnvironmentsWorkPollQuery = {
  block_ms?: number | undefined;
  reclaim_older_than_ms?: number | undefined;
};

export type EnvironmentsWorkPollReply = Work;

export type EnvironmentsWorkStatsParams = {
  environment_id: string;
};

export type EnvironmentsWorkStatsReply = WorkQueueStats;

export type EnvironmentsWorkRetrieveParams = {
  environment_id: string;
  work_id: string;
};

export type EnvironmentsWorkRetrieveReply = Work;

export type EnvironmentsWorkUpdateParams = {
  environment_id: string;
  work_id: string;
};

export type EnvironmentsWorkUpdateBody = {
  metadata?: Record<string, string | null> | null | undefined;
};

export type EnvironmentsWorkUpdateReply = Work;

export type EnvironmentsWorkAckParams = {
  environment_id: string;
  work_id: string;
};

export type EnvironmentsWorkAckReply = Work;

export type EnvironmentsWorkHeartbeatParams = {
  environment_id: string;
  work_id: string;
};

export type EnvironmentsWorkHeartbeatQuery = {
  expected_last_heartbeat?: string | undefined;
  desired_ttl_seconds?: number | undefined;
};

export type EnvironmentsWorkHeartbeatReply = WorkHeartbeat;

export type EnvironmentsWorkStopParams = {
  environment_id: string;
  work_id: string;
};

export type EnvironmentsWorkStopBody = {
  force?: boolean | null | undefined;
};

export type EnvironmentsWorkStopReply = Work;

export type FilesListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
  page?: string | undefined;
  /** Only these, up to 100; instead of limit, page, after_id and before_id. */
  ids?: string[] | undefined;
  /** Only files of this session. */
  scope_id?: string | undefined;
};

export type FilesListReply = {
  data: FileMetadata[];
  next_page: string | null;
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type FilesUploadReply = FileMetadata;

export type FilesRetrieveMetadataParams = {
  file_id: string;
};

export type FilesRetrieveMetadataReply = FileMetadata;

export type FilesDeleteParams = {
  file_id: string;
};

export type FilesDeleteReply = DeletedFile;

export type FilesDownloadParams = {
  file_id: string;
};

export type McpServersListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type McpServersListReply = {
  data: McpServer[];
  next_page: string | null;
};

export type McpServersCreateBody = {
  name: string;
  url: string;
  description?: string | null | undefined;
  vault_id?: string | null | undefined;
};

export type McpServersCreateReply = McpServer;

export type McpServersRetrieveParams = {
  mcp_server_id: string;
};

export type McpServersRetrieveReply = McpServer;

export type McpServersUpdateParams = {
  mcp_server_id: string;
};

export type McpServersUpdateBody = {
  id?: string | undefined;
  type?: "mcp_server" | undefined;
  created_at?: string | undefined;
  updated_at?: string | undefined;
  archived_at?: string | null | undefined;
  name?: string | null | undefined;
  url?: string | null | undefined;
  description?: string | null | undefined;
  vault_id?: string | null | undefined;
};

export type McpServersUpdateReply = McpServer;

export type McpServersDeleteParams = {
  mcp_server_id: string;
};

export type McpServersDeleteReply = DeletedMcpServer;

export type McpServersCallParams = {
  mcp_server_id: string;
};

export type McpServersCallBody = {
  name: string;
  arguments?: Record<string, unknown> | undefined;
};

export type McpServersCallReply = McpToolResult;

export type McpServersConnectParams = {
  mcp_server_id: string;
};

export type McpServersConnectBody = {
  vault_id?: string | null | undefined;
  client_id?: string | null | undefined;
  client_secret?: string | null | undefined;
};

export type McpServersConnectReply = McpConnection;

export type McpServersFinishConnectionParams = {
  mcp_server_id: string;
  connection_id: string;
};

export type McpServersFinishConnectionReply = McpConnection;

export type McpServersPageParams = {
  mcp_server_id: string;
};

export type McpServersPageBody = {
  name: string;
};

export type McpServersPageReply = McpToolPage;

export type McpServersToolsParams = {
  mcp_server_id: string;
};

export type McpServersToolsReply = McpServerTools;

export type MemoryStoresListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  include_archived?: boolean | undefined;
  created_at?: {
    gte?: string | undefined;
    lte?: string | undefined;
  } | undefined;
};

export type MemoryStoresListReply = {
  data: MemoryStore[];
  next_page: string | null;
};

export type MemoryStoresCreateBody = {
  name: string;
  description?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
};

export type MemoryStoresCreateReply = MemoryStore;

export type MemoryStoresImportQuery = {
  name?: string | undefined;
  description?: string | undefined;
};

export type MemoryStoresImportReply = ImportedMemoryStore;

export type MemoryStoresRetrieveParams = {
  memory_store_id: string;
};

export type MemoryStoresRetrieveReply = MemoryStore;

export type MemoryStoresUpdateParams = {
  memory_store_id: string;
};

export type MemoryStoresUpdateBody = {
  name?: string | null | undefined;
  description?: string | null | undefined;
  metadata?: Record<string, string | null> | null | undefined;
};

export type MemoryStoresUpdateReply = MemoryStore;

export type MemoryStoresDeleteParams = {
  memory_store_id: string;
};

export type MemoryStoresDeleteReply = DeletedMemoryStore;

export type MemoryStoresArchiveParams = {
  memory_store_id: string;
};

export type MemoryStoresArchiveReply = MemoryStore;

export type MemoryStoresExportParams = {
  memory_store_id: string;
};

export type MemoryStoresMemoriesListParams = {
  memory_store_id: string;
};

export type MemoryStoresMemoriesListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  path?: string | undefined;
  path_prefix?: string | undefined;
  depth?: number | undefined;
  view?: "basic" | "full" | undefined;
};

export type MemoryStoresMemoriesListReply = {
  data: (Memory | MemoryPrefix)[];
  next_page: string | null;
};

export type MemoryStoresMemoriesCreateParams = {
  memory_store_id: string;
};

export type MemoryStoresMemoriesCreateQuery = {
  view?: "basic" | "full" | undefined;
};

export type MemoryStoresMemoriesCreateBody = {
  path: string;
  content: string | null;
};

export type MemoryStoresMemoriesCreateReply = Memory;

export type MemoryStoresMemoriesRetrieveParams = {
  memory_store_id: string;
  memory_id: string;
};

export type MemoryStoresMemoriesRetrieveQuery = {
  view?: "basic" | "full" | undefined;
};

export type MemoryStoresMemoriesRetrieveReply = Memory;

export type MemoryStoresMemoriesUpdateParams = {
  memory_store_id: string;
  memory_id: string;
};

export type MemoryStoresMemoriesUpdateQuery = {
  view?: "basic" | "full" | undefined;
};

export type MemoryStoresMemoriesUpdateBody = {
  content?: string | null | undefined;
  path?: string | null | undefined;
  precondition?: {
    type: "content_sha256";
    content_sha256: string;
  } | null | undefined;
  content_sha256?: string | null | undefined;
};

export type MemoryStoresMemoriesUpdateReply = Memory;

export type MemoryStoresMemoriesDeleteParams = {
  memory_store_id: string;
  memory_id: string;
};

export type MemoryStoresMemoriesDeleteQuery = {
  expected_content_sha256?: string | undefined;
};

export type MemoryStoresMemoriesDeleteReply = DeletedMemory;

export type MemoryStoresMemoryVersionsListParams = {
  memory_store_id: string;
};

export type MemoryStoresMemoryVersionsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  memory_id?: string | undefined;
  operation?: "created" | "modified" | "deleted" | undefined;
  api_key_id?: string | undefined;
  session_id?: string | undefined;
  service_account_id?: string | undefined;
  user_id?: string | undefined;
  created_at?: {
    gte?: string | undefined;
    lte?: string | undefined;
  } | undefined;
  view?: "basic" | "full" | undefined;
};

export type MemoryStoresMemoryVersionsListReply = {
  data: MemoryVersion[];
  next_page: string | null;
};

export type MemoryStoresMemoryVersionsRetrieveParams = {
  memory_store_id: string;
  memory_version_id: string;
};

export type MemoryStoresMemoryVersionsRetrieveQuery = {
  view?: "basic" | "full" | undefined;
};

export type MemoryStoresMemoryVersionsRetrieveReply = MemoryVersion;

export type MemoryStoresMemoryVersionsRedactParams = {
  memory_store_id: string;
  memory_version_id: string;
};

export type MemoryStoresMemoryVersionsRedactBody = {
  reason?: string | null | undefined;
};

export type MemoryStoresMemoryVersionsRedactReply = MemoryVersion;

export type MessagesCreateBody = MessageRequest;

export type MessagesCreateReply = Message;

export type MessagesBatchesListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
};

export type MessagesBatchesListReply = {
  data: MessageBatch[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type MessagesBatchesCreateBody = {
  requests: {
    custom_id: string;
    /** A message request, as of `POST /v1/messages`. */
    params: Record<string, unknown>;
  }[];
};

export type MessagesBatchesCreateReply = MessageBatch;

export type MessagesBatchesRetrieveParams = {
  message_batch_id: string;
};

export type MessagesBatchesRetrieveReply = MessageBatch;

export type MessagesBatchesDeleteParams = {
  message_batch_id: string;
};

export type MessagesBatchesDeleteReply = DeletedMessageBatch;

export type MessagesBatchesCancelParams = {
  message_batch_id: string;
};

export type MessagesBatchesCancelReply = MessageBatch;

export type MessagesBatchesResultsParams = {
  message_batch_id: string;
};

export type MessagesCountTokensBody = CountRequest;

export type MessagesCountTokensReply = {
  input_tokens: number;
  context_management?: {
    original_input_tokens: number;
  } | null;
};

export type ModelsListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
  lifecycle?: ("active" | "deprecated" | "retired")[] | undefined;
};

export type ModelsListReply = {
  data: ModelInfo[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type ModelsRetrieveParams = {
  model_id: string;
};

export type ModelsRetrieveReply = ModelInfo;

export type OauthDeviceAuthorizationBody = {
  client_id: string;
  scope?: string | undefined;
  workspace_id?: string | undefined;
};

export type OauthDeviceAuthorizationReply = DeviceAsked;

export type OauthRegisterBody = {
  redirect_uris: string[];
  application_type?: "native" | "web" | undefined;
  client_name?: string | undefined;
  grant_types?: string[] | undefined;
  response_types?: string[] | undefined;
  token_endpoint_auth_method?: string | undefined;
};

export type OauthRegisterReply = RegisteredClient;

export type OauthRevokeBody = {
  token: string;
  token_type_hint?: string | undefined;
  client_id?: string | undefined;
};

export type OauthRevokeReply = Record<string, unknown>;

export type OauthTokenBody = {
  grant_type: string;
  client_id?: string | undefined;
  refresh_token?: string | undefined;
  assertion?: string | undefined;
  federation_rule_id?: string | undefined;
  organization_id?: string | undefined;
  service_account_id?: string | undefined;
  workspace_id?: string | undefined;
  device_code?: string | undefined;
  code?: string | undefined;
  code_verifier?: string | undefined;
  redirect_uri?: string | undefined;
  resource?: string | undefined;
  scope?: string | undefined;
};

export type OauthTokenReply = TokenReply;

export type OauthUserinfoReply = UserInfo;

export type WorkspaceObjectsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  query: string;
};

export type WorkspaceObjectsListReply = {
  data: FoundObject[];
  next_page: string | null;
};

export type AlertRulesListReply = {
  data: AlertRule[];
};

export type AlertRulesRetrieveParams = {
  kind: string;
};

export type AlertRulesRetrieveReply = AlertRule;

export type AlertRulesUpdateParams = {
  kind: string;
};

export type AlertRulesUpdateBody = {
  enabled?: boolean | undefined;
  percents?: number[] | null | undefined;
  percent?: number | null | undefined;
  minutes?: number | null | undefined;
  requests_min?: number | null | undefined;
  failures_min?: number | null | undefined;
};

export type AlertRulesUpdateReply = AlertRule;

export type AlertSettingsRetrieveReply = AlertSettings;

export type AlertSettingsUpdateBody = {
  mail_administrators?: boolean | undefined;
  mail_to?: string[] | undefined;
};

export type AlertSettingsUpdateReply = AlertSettings;

export type AlertsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  state?: "firing" | "resolved" | undefined;
};

export type AlertsListReply = {
  data: Alert[];
  next_page: string | null;
};

export type AlertsRetrieveParams = {
  alert_id: string;
};

export type AlertsRetrieveReply = Alert;

export type AnalyticsCostQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  starting_at: string;
  ending_at?: string | undefined;
  time_bucket_width?: "1m" | "1h" | "1d" | undefined;
  order?: "asc" | "desc" | undefined;
  exclude_deleted_users?: boolean | undefined;
  actor_ids?: string[] | undefined;
  actor_types?: ("user_actor" | "service_account_actor" | "federated_actor" | "api_actor")[] | undefined;
  agent_ids?: string[] | undefined;
  api_key_ids?: string[] | undefined;
  claude_tag_categories?: string[] | undefined;
  claude_tag_user_ids?: string[] | undefined;
  context_windows?: ("0-200k" | "200k-1M")[] | undefined;
  deployment_ids?: string[] | undefined;
  environment_ids?: string[] | undefined;
  inference_geos?: string[] | undefined;
  key_maker_ids?: string[] | undefined;
  member_ids?: string[] | undefined;
  models?: string[] | undefined;
  organization_ids?: string[] | undefined;
  origins?: ("api" | "batch" | "console" | "session")[] | undefined;
  products?: string[] | undefined;
  rbac_group_ids?: string[] | undefined;
  service_tiers?: ("batch" | "flex" | "flex_discount" | "priority" | "priority_on_demand" | "standard")[] | undefined;
  session_ids?: string[] | undefined;
  slack_channel_ids?: string[] | undefined;
  speeds?: ("fast" | "standard")[] | undefined;
  user_profile_ids?: string[] | undefined;
  workspace_ids?: string[] | undefined;
  group_by?: ("actor" | "actor_type" | "agent_id" | "api_key_id" | "claude_tag_category" | "claude_tag_user_id" | "context_window" | "deployment_id" | "environment_id" | "inference_geo" | "key_maker" | "member" | "model" | "organization_id" | "origin" | "product" | "rbac_group_id" | "service_tier" | "session_id" | "slack_channel_id" | "speed" | "user_profile_id" | "workspace_id" | "cost_type" | "token_type")[] | undefined;
  order_by?: "amount" | "list_amount" | "time" | undefined;
};

export type AnalyticsCostReply = {
  data: CostRow[];
  has_more: boolean;
  next_page: string | null;
  data_refreshed_at: string | null;
};

export type AnalyticsUsageQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  starting_at: string;
  ending_at?: string | undefined;
  time_bucket_width?: "1m" | "1h" | "1d" | undefined;
  order?: "asc" | "desc" | undefined;
  exclude_deleted_users?: boolean | undefined;
  actor_ids?: string[] | undefined;
  actor_types?: ("user_actor" | "service_account_actor" | "federated_actor" | "api_actor")[] | undefined;
  agent_ids?: string[] | undefined;
  api_key_ids?: string[] | undefined;
  claude_tag_categories?: string[] | undefined;
  claude_tag_user_ids?: string[] | undefined;
  context_windows?: ("0-200k" | "200k-1M")[] | undefined;
  deployment_ids?: string[] | undefined;
  environment_ids?: string[] | undefined;
  inference_geos?: string[] | undefined;
  key_maker_ids?: string[] | undefined;
  member_ids?: string[] | undefined;
  models?: string[] | undefined;
  organization_ids?: string[] | undefined;
  origins?: ("api" | "batch" | "console" | "session")[] | undefined;
  products?: string[] | undefined;
  rbac_group_ids?: string[] | undefined;
  service_tiers?: ("batch" | "flex" | "flex_discount" | "priority" | "priority_on_demand" | "standard")[] | undefined;
  session_ids?: string[] | undefined;
  slack_channel_ids?: string[] | undefined;
  speeds?: ("fast" | "standard")[] | undefined;
  user_profile_ids?: string[] | undefined;
  workspace_ids?: string[] | undefined;
  group_by?: ("actor" | "actor_type" | "agent_id" | "api_key_id" | "claude_tag_category" | "claude_tag_user_id" | "context_window" | "deployment_id" | "environment_id" | "inference_geo" | "key_maker" | "member" | "model" | "organization_id" | "origin" | "product" | "rbac_group_id" | "service_tier" | "session_id" | "slack_channel_id" | "speed" | "user_profile_id" | "workspace_id")[] | undefined;
  order_by?: "total_tokens" | "output_tokens" | "uncached_input_tokens" | "requests" | "time" | undefined;
};

export type AnalyticsUsageReply = {
  data: UsageRow[];
  has_more: boolean;
  next_page: string | null;
  data_refreshed_at: string | null;
};

export type ApiKeysListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
  status?: "active" | "inactive" | "archived" | "expired" | undefined;
  workspace_id?: string | undefined;
  created_by_user_id?: string | undefined;
  unused_days?: number | undefined;
};

export type ApiKeysListReply = {
  data: ApiKey[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type ApiKeysRetrieveParams = {
  api_key_id: string;
};

export type ApiKeysRetrieveReply = ApiKey;

export type ApiKeysUpdateParams = {
  api_key_id: string;
};

export type ApiKeysUpdateBody = {
  name?: string | null | undefined;
  status?: "active" | "inactive" | "archived" | null | undefined;
};

export type ApiKeysUpdateReply = ApiKey;

export type AuditEventsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  action?: string | undefined;
  actor_id?: string | undefined;
  target_id?: string | undefined;
  address?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  q?: string | undefined;
  after_sequence?: number | undefined;
};

export type AuditEventsListReply = {
  data: AuditEvent[];
  next_page: string | null;
};

export type CostReportListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  starting_at: string;
  ending_at?: string | undefined;
  bucket_width?: "1d" | undefined;
  group_by?: ("workspace_id" | "description")[] | undefined;
};

export type CostReportListReply = {
  data: {
    starting_at: string;
    ending_at: string;
    results: CostReportResult[];
  }[];
  has_more: boolean;
  next_page: string | null;
};

export type FederationIssuersListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  include_archived?: boolean | undefined;
};

export type FederationIssuersListReply = {
  data: FederationIssuer[];
  next_page: string | null;
};

export type FederationIssuersCreateBody = {
  name: string;
  issuer_url: string;
  jwks?: {
    type: "discovery";
    discovery_base?: string | null | undefined;
    ca_cert_pem?: string | null | undefined;
  } | {
    type: "explicit_url";
    url: string;
    ca_cert_pem?: string | null | undefined;
  } | {
    type: "inline";
    keys: Record<string, unknown>[];
  } | undefined;
  check_jti?: boolean | null | undefined;
  max_jwt_lifetime_seconds?: number | null | undefined;
};

export type FederationIssuersCreateReply = FederationIssuer;

export type FederationIssuersRetrieveParams = {
  federation_issuer_id: string;
};

export type FederationIssuersRetrieveReply = FederationIssuer;

export type FederationIssuersUpdateParams = {
  federation_issuer_id: string;
};

export type FederationIssuersUpdateBody = {
  name?: string | null | undefined;
  issuer_url?: string | null | undefined;
  jwks?: {
    type: "discovery";
    discovery_base?: string | null | undefined;
    ca_cert_pem?: string | null | undefined;
  } | {
    type: "explicit_url";
    url: string;
    ca_cert_pem?: string | null | undefined;
  } | {
    type: "inline";
    keys: Record<string, unknown>[];
  } | null | undefined;
  check_jti?: boolean | null | undefined;
  max_jwt_lifetime_seconds?: number | null | undefined;
  jwks_polling_disabled?: boolean | null | undefined;
};

export type FederationIssuersUpdateReply = FederationIssuer;

export type FederationIssuersArchiveParams = {
  federation_issuer_id: string;
};

export type FederationIssuersArchiveReply = FederationIssuer;

export type FederationRulesListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  include_archived?: boolean | undefined;
  issuer_id?: string | undefined;
};

export type FederationRulesListReply = {
  data: FederationRule[];
  next_page: string | null;
};

export type FederationRulesCreateBody = {
  name: string;
  issuer_id: string;
  match: {
    subject_prefix?: string | null | undefined;
    claims?: Record<string, string> | null | undefined;
    condition?: string | null | undefined;
    audience?: string | null | undefined;
  };
  target: {
    type: "service_account";
    service_account_id: string;
    service_account_name?: string | null | undefined;
  };
  oauth_scope: string;
  workspace_id?: string | null | undefined;
  applies_to_all_workspaces?: boolean | undefined;
  description?: string | null | undefined;
  token_lifetime_seconds?: number | undefined;
  attributes?: Record<string, string> | null | undefined;
};

export type FederationRulesCreateReply = FederationRule;

export type FederationRulesRetrieveParams = {
  federation_rule_id: string;
};

export type FederationRulesRetrieveReply = FederationRule;

export type FederationRulesUpdateParams = {
  federation_rule_id: string;
};

export type FederationRulesUpdateBody = {
  name?: string | null | undefined;
  match?: {
    subject_prefix?: string | null | undefined;
    claims?: Record<string, string> | null | undefined;
    condition?: string | null | undefined;
    audience?: string | null | undefined;
  } | null | undefined;
  target?: {
    type: "service_account";
    service_account_id: string;
    service_account_name?: string | null | undefined;
  } | null | undefined;
  oauth_scope?: string | null | undefined;
  workspace_id?: string | null | undefined;
  applies_to_all_workspaces?: boolean | null | undefined;
  description?: string | null | undefined;
  token_lifetime_seconds?: number | null | undefined;
  attributes?: Record<string, string> | null | undefined;
};

export type FederationRulesUpdateReply = FederationRule;

export type FederationRulesArchiveParams = {
  federation_rule_id: string;
};

export type FederationRulesArchiveReply = FederationRule;

export type FederationRulesWorkspacesListParams = {
  federation_rule_id: string;
};

export type FederationRulesWorkspacesListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type FederationRulesWorkspacesListReply = {
  data: FederationRuleWorkspace[];
  next_page: string | null;
};

export type FederationRulesWorkspacesAddParams = {
  federation_rule_id: string;
};

export type FederationRulesWorkspacesAddBody = {
  workspace_id: string;
};

export type FederationRulesWorkspacesAddReply = FederationRuleWorkspace;

export type FederationRulesWorkspacesRemoveParams = {
  federation_rule_id: string;
  workspace_id: string;
};

export type FederationRulesWorkspacesRemoveReply = DeletedFederationRuleWorkspace;

export type InvitesListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
  email?: string | undefined;
  roles?: ("user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user")[] | undefined;
  statuses?: ("pending" | "accepted" | "expired")[] | undefined;
};

export type InvitesListReply = {
  data: Invite[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type InvitesCreateBody = {
  email: string;
  role: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user";
  rbac_group_ids?: string[] | undefined;
};

export type InvitesCreateReply = Invite;

export type InvitesRetrieveParams = {
  invite_id: string;
};

export type InvitesRetrieveReply = Invite;

export type InvitesDeleteParams = {
  invite_id: string;
};

export type InvitesDeleteReply = {
  id: string;
  type: "invite_deleted";
};

export type LimitsRetrieveQuery = {
  workspace_id?: string | undefined;
};

export type LimitsRetrieveReply = LimitsInUse;

export type OrganizationsMeReply = Organization;

export type ObjectsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  query: string;
};

export type ObjectsListReply = {
  data: FoundObject[];
  next_page: string | null;
};

export type OrganizationsOverviewQuery = {
  period?: "yesterday" | "week" | "month" | undefined;
};

export type OrganizationsOverviewReply = Overview;

export type RateLimitsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  group_type?: "batch" | "files" | "model_group" | "skills" | "token_count" | "web_search" | undefined;
  model?: string | undefined;
};

export type RateLimitsListReply = {
  data: RateLimit[];
  next_page: string | null;
};

export type RbacGroupsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type RbacGroupsListReply = {
  data: RbacGroup[];
  next_page: string | null;
};

export type RbacGroupsCreateBody = {
  name: string;
};

export type RbacGroupsCreateReply = RbacGroup;

export type RbacGroupsRetrieveParams = {
  rbac_group_id: string;
};

export type RbacGroupsRetrieveReply = RbacGroup;

export type RbacGroupsUpdateParams = {
  rbac_group_id: string;
};

export type RbacGroupsUpdateBody = {
  name?: string | null | undefined;
};

export type RbacGroupsUpdateReply = RbacGroup;

export type RbacGroupsDeleteParams = {
  rbac_group_id: string;
};

export type RbacGroupsDeleteReply = {
  id: string;
  type: "rbac_group_deleted";
};

export type RbacGroupsMembersListParams = {
  rbac_group_id: string;
};

export type RbacGroupsMembersListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type RbacGroupsMembersListReply = {
  data: RbacGroupMember[];
  next_page: string | null;
};

export type RbacGroupsMembersAddParams = {
  rbac_group_id: string;
};

export type RbacGroupsMembersAddBody = {
  user_id: string;
};

export type RbacGroupsMembersAddReply = RbacGroupMember;

export type RbacGroupsMembersRemoveParams = {
  rbac_group_id: string;
  user_id: string;
};

export type RbacGroupsMembersRemoveReply = {
  type: "rbac_group_member_deleted";
  rbac_group_id: string;
  user_id: string;
};

export type RbacRolesListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type RbacRolesListReply = {
  data: RbacRole[];
  next_page: string | null;
};

export type RbacRolesRetrieveParams = {
  rbac_role_id: string;
};

export type RbacRolesRetrieveReply = RbacRole;

export type RbacRolesPermissionsListParams = {
  rbac_role_id: string;
};

export type RbacRolesPermissionsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type RbacRolesPermissionsListReply = {
  data: RbacRolePermission[];
  next_page: string | null;
};

export type RequestsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  status?: string | undefined;
  model?: string | undefined;
  upstream?: string | undefined;
  credential_id?: string | undefined;
  user_id?: string | undefined;
  workspace_id?: string | undefined;
  session_id?: string | undefined;
  batch_id?: string | undefined;
  origin?: "api" | "batch" | "console" | "session" | undefined;
  operation?: string | undefined;
  stop_reason?: string | undefined;
  fell_back?: boolean | undefined;
  min_duration_ms?: number | undefined;
  min_cost?: string | undefined;
  error?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  ended_after?: string | undefined;
};

export type RequestsListReply = {
  data: LoggedRequest[];
  next_page: string | null;
  searched_to: string | null;
};

export type RequestsRetrieveParams = {
  request_id: string;
};

export type RequestsRetrieveReply = LoggedRequest;

export type RequestBodiesRetrieveParams = {
  request_id: string;
};

export type RequestBodiesRetrieveReply = RequestBody;

export type ServiceAccountsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  include_archived?: boolean | undefined;
};

export type ServiceAccountsListReply = {
  data: ServiceAccount[];
  next_page: string | null;
};

export type ServiceAccountsCreateBody = {
  name: string;
  description?: string | null | undefined;
  organization_role?: "developer" | "admin" | undefined;
};

export type ServiceAccountsCreateReply = ServiceAccount;

export type ServiceAccountsRetrieveParams = {
  service_account_id: string;
};

export type ServiceAccountsRetrieveReply = ServiceAccount;

export type ServiceAccountsUpdateParams = {
  service_account_id: string;
};

export type ServiceAccountsUpdateBody = {
  description?: string | null | undefined;
  organization_role?: "developer" | "admin" | null | undefined;
};

export type ServiceAccountsUpdateReply = ServiceAccount;

export type ServiceAccountsArchiveParams = {
  service_account_id: string;
};

export type ServiceAccountsArchiveReply = ServiceAccount;

export type ServiceAccountsWorkspacesListParams = {
  service_account_id: string;
};

export type ServiceAccountsWorkspacesListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type ServiceAccountsWorkspacesListReply = {
  data: ServiceAccountWorkspaceMember[];
  next_page: string | null;
};

export type ServiceAccountsWorkspacesAddParams = {
  service_account_id: string;
};

export type ServiceAccountsWorkspacesAddBody = {
  workspace_id: string;
  workspace_role: "workspace_user" | "workspace_developer" | "workspace_restricted_developer" | "workspace_admin";
};

export type ServiceAccountsWorkspacesAddReply = ServiceAccountWorkspaceMember;

export type ServiceAccountsWorkspacesRemoveParams = {
  service_account_id: string;
  workspace_id: string;
};

export type ServiceAccountsWorkspacesRemoveReply = DeletedServiceAccountWorkspaceMember;

export type SpendLimitIncreaseRequestsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  actor_ids?: string[] | undefined;
  status?: ("pending" | "approved" | "denied")[] | undefined;
};

export type SpendLimitIncreaseRequestsListReply = {
  data: SpendLimitIncreaseRequest[];
  next_page: string | null;
};

export type SpendLimitIncreaseRequestsRetrieveParams = {
  spend_limit_increase_request_id: string;
};

export type SpendLimitIncreaseRequestsRetrieveReply = SpendLimitIncreaseRequest;

export type SpendLimitIncreaseRequestsApproveParams = {
  spend_limit_increase_request_id: string;
};

export type SpendLimitIncreaseRequestsApproveBody = {
  amount: string;
  period?: "daily" | "weekly" | "monthly" | null | undefined;
  suppress_notification?: boolean | undefined;
};

export type SpendLimitIncreaseRequestsApproveReply = {
  id: string;
  type: "spend_limit_increase_request";
  actor: {
    type: "user_actor";
    user_id: string;
    name: string | null;
    email_address: string | null;
    deleted: boolean;
  };
  period: "daily" | "weekly" | "monthly";
  status: "pending" | "approved" | "denied";
  reason: string | null;
  created_at: string;
  resolved_at: string | null;
  resolved_by: {
    type: "user_actor";
    user_id: string;
    name: string | null;
    email_address: string | null;
    deleted: boolean;
  } | {
    type: "scoped_api_key_actor";
    scoped_api_key_id: string;
  } | null;
  spend_summary: SpendSummary | null;
  spend_limit: SpendLimit | null;
};

export type SpendLimitIncreaseRequestsDenyParams = {
  spend_limit_increase_request_id: string;
};

export type SpendLimitIncreaseRequestsDenyBody = {
  suppress_notification?: boolean | undefined;
};

export type SpendLimitIncreaseRequestsDenyReply = SpendLimitIncreaseRequest;

export type SpendLimitsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  scope_type?: ("organization" | "organization_service" | "rbac_group" | "seat_tier" | "usage_tier" | "user" | "workspace")[] | undefined;
  workspace_id?: string | undefined;
};

export type SpendLimitsListReply = {
  data: SpendLimit[];
  next_page: string | null;
};

export type SpendLimitsSetBody = {
  scope: {
    type: "user";
    user_id: string;
  } | {
    type: "organization";
  } | {
    type: "workspace";
    workspace_id: string;
  };
  period?: "daily" | "weekly" | "monthly" | undefined;
  amount: string | null;
};

export type SpendLimitsSetReply = SpendLimit;

export type SpendLimitsEffectiveQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  period?: ("daily" | "weekly" | "monthly")[] | undefined;
  user_ids?: string[] | undefined;
};

export type SpendLimitsEffectiveReply = {
  data: SpendSummary[];
  next_page: string | null;
};

export type SpendLimitsRetrieveParams = {
  spend_limit_id: string;
};

export type SpendLimitsRetrieveReply = SpendLimit;

export type SpendLimitsDeleteParams = {
  spend_limit_id: string;
};

export type SpendLimitsDeleteReply = {
  id: string;
  type: "spend_limit_deleted";
};

export type UsageReportMessagesQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  starting_at: string;
  ending_at?: string | undefined;
  bucket_width?: "1m" | "1h" | "1d" | undefined;
  group_by?: ("account_id" | "api_key_id" | "context_window" | "inference_geo" | "model" | "service_account_id" | "service_tier" | "speed" | "workspace_id")[] | undefined;
  account_ids?: string[] | undefined;
  api_key_ids?: string[] | undefined;
  context_window?: ("0-200k" | "200k-1M")[] | undefined;
  inference_geos?: string[] | undefined;
  models?: string[] | undefined;
  service_account_ids?: string[] | undefined;
  service_tiers?: ("batch" | "flex" | "flex_discount" | "priority" | "priority_on_demand" | "standard")[] | undefined;
  speeds?: ("fast" | "standard")[] | undefined;
  workspace_ids?: string[] | undefined;
};

export type UsageReportMessagesReply = {
  data: {
    starting_at: string;
    ending_at: string;
    results: MessagesUsageResult[];
  }[];
  has_more: boolean;
  next_page: string | null;
};

export type UsersListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
  email?: string | undefined;
  roles?: ("user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user")[] | undefined;
};

export type UsersListReply = {
  data: User[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type UsersRetrieveParams = {
  user_id: string;
};

export type UsersRetrieveReply = User;

export type UsersUpdateParams = {
  user_id: string;
};

export type UsersUpdateBody = {
  role: "user" | "claude_code_user" | "developer" | "billing" | "admin" | "managed" | "membership_admin" | "owner" | "primary_owner" | "vendor_code_user";
};

export type UsersUpdateReply = User;

export type UsersDeleteParams = {
  user_id: string;
};

export type UsersDeleteReply = {
  id: string;
  type: "user_deleted";
};

export type UsersSignOutParams = {
  user_id: string;
};

export type UsersSignOutReply = User;

export type WebhooksListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
  order?: "asc" | "desc" | undefined;
};

export type WebhooksListReply = {
  data: WebhookEndpoint[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type WebhooksCreateBody = {
  description?: string | undefined;
  name?: string | undefined;
  enabled_events: ("alert.firing" | "alert.resolved" | "audit_event.created" | "external_key.failed" | "external_key.recovered" | "user_profile.enforcement_action_opened" | "user_profile.enforcement_action_resolved" | "user_profile.program_status_updated")[];
  url: string;
};

export type WebhooksCreateReply = NewWebhookEndpoint;

export type WebhooksRetrieveParams = {
  webhook_endpoint_id: string;
};

export type WebhooksRetrieveReply = WebhookEndpoint;

export type WebhooksUpdateParams = {
  webhook_endpoint_id: string;
};

export type WebhooksUpdateBody = {
  description?: string | undefined;
  name?: string | undefined;
  enabled_events?: ("alert.firing" | "alert.resolved" | "audit_event.created" | "external_key.failed" | "external_key.recovered" | "user_profile.enforcement_action_opened" | "user_profile.enforcement_action_resolved" | "user_profile.program_status_updated")[] | undefined;
  state?: "enabled" | "disabled" | undefined;
  url?: string | undefined;
  id?: string | undefined;
  created_at?: string | undefined;
  updated_at?: string | undefined;
  disabled_reason?: string | undefined;
};

export type WebhooksUpdateReply = WebhookEndpoint;

export type WebhooksDeleteParams = {
  webhook_endpoint_id: string;
};

export type WebhooksDeleteReply = DeletedWebhookEndpoint;

export type WebhooksRegenerateSigningSecretParams = {
  webhook_endpoint_id: string;
};

export type WebhooksRegenerateSigningSecretReply = WebhookSigningSecret;

export type WorkspacesListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
  ids?: string[] | undefined;
  include_archived?: boolean | undefined;
  include_default?: boolean | undefined;
};

export type WorkspacesListReply = {
  data: Workspace[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type WorkspacesCreateBody = {
  name: string;
  data_residency?: {
    allowed_inference_geos?: "unrestricted" | ("global" | "us")[] | null | undefined;
    default_inference_geo?: "global" | "us" | null | undefined;
    workspace_geo?: "us" | null | undefined;
  } | null | undefined;
  display_color?: string | null | undefined;
  external_key_id?: string | null | undefined;
  tags?: Record<string, string> | null | undefined;
  user_profile_id?: string | null | undefined;
};

export type WorkspacesCreateReply = Workspace;

export type WorkspacesRetrieveParams = {
  workspace_id: string;
};

export type WorkspacesRetrieveReply = Workspace;

export type WorkspacesUpdateParams = {
  workspace_id: string;
};

export type WorkspacesUpdateBody = {
  name?: string | null | undefined;
  data_residency?: {
    allowed_inference_geos?: "unrestricted" | ("global" | "us")[] | null | undefined;
    default_inference_geo?: "global" | "us" | null | undefined;
    workspace_geo?: string | null | undefined;
  } | null | undefined;
  display_color?: string | null | undefined;
  external_key_id?: string | null | undefined;
  tags?: Record<string, string | null> | null | undefined;
  user_profile_id?: string | null | undefined;
};

export type WorkspacesUpdateReply = Workspace;

export type WorkspacesArchiveParams = {
  workspace_id: string;
};

export type WorkspacesArchiveReply = Workspace;

export type WorkspacesMembersListParams = {
  workspace_id: string;
};

export type WorkspacesMembersListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
};

export type WorkspacesMembersListReply = {
  data: WorkspaceMember[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type WorkspacesMembersAddParams = {
  workspace_id: string;
};

export type WorkspacesMembersAddBody = {
  user_id: string;
  workspace_role: "workspace_user" | "workspace_developer" | "workspace_restricted_developer" | "workspace_admin";
};

export type WorkspacesMembersAddReply = WorkspaceMember;

export type WorkspacesMembersRetrieveParams = {
  workspace_id: string;
  user_id: string;
};

export type WorkspacesMembersRetrieveReply = WorkspaceMember;

export type WorkspacesMembersUpdateParams = {
  workspace_id: string;
  user_id: string;
};

export type WorkspacesMembersUpdateBody = {
  workspace_role: "workspace_user" | "workspace_developer" | "workspace_restricted_developer" | "workspace_admin" | "workspace_billing";
};

export type WorkspacesMembersUpdateReply = WorkspaceMember;

export type WorkspacesMembersRemoveParams = {
  workspace_id: string;
  user_id: string;
};

export type WorkspacesMembersRemoveReply = {
  type: "workspace_member_deleted";
  user_id: string;
  workspace_id: string;
};

export type WorkspacesRateLimitsListParams = {
  workspace_id: string;
};

export type WorkspacesRateLimitsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  group_type?: "batch" | "files" | "model_group" | "skills" | "token_count" | "web_search" | undefined;
  include_inherited?: boolean | undefined;
};

export type WorkspacesRateLimitsListReply = {
  data: WorkspaceRateLimit[];
  next_page: string | null;
};

export type WorkspacesRateLimitsUpdateParams = {
  workspace_id: string;
  rate_limit_id: string;
};

export type WorkspacesRateLimitsUpdateBody = {
  limits: {
    type: "requests_per_minute" | "tokens_per_minute" | "tokens_per_day" | "input_tokens_per_minute" | "input_tokens_per_minute_cache_aware" | "output_tokens_per_minute" | "tool_uses_per_second" | "fast_itpmca" | "fast_otpm";
    value: number | null;
  }[];
};

export type WorkspacesRateLimitsUpdateReply = WorkspaceRateLimit;

export type WorkspacesRequestBodiesRetrieveParams = {
  workspace_id: string;
};

export type WorkspacesRequestBodiesRetrieveReply = RequestBodySettings;

export type WorkspacesRequestBodiesUpdateParams = {
  workspace_id: string;
};

export type WorkspacesRequestBodiesUpdateBody = {
  enabled?: boolean | undefined;
  max_bytes?: number | undefined;
  kept_days?: number | undefined;
  redact?: ({
    type: "email" | "phone" | "card_number";
  } | {
    type: "field";
    field: string;
  } | {
    type: "word";
    word: string;
  })[] | undefined;
};

export type WorkspacesRequestBodiesUpdateReply = RequestBodySettings;

export type WorkspacesRequestBodiesDeleteParams = {
  workspace_id: string;
};

export type WorkspacesRequestBodiesDeleteReply = RequestBodiesDeleted;

export type WorkspacesServiceAccountsListParams = {
  workspace_id: string;
};

export type WorkspacesServiceAccountsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type WorkspacesServiceAccountsListReply = {
  data: ServiceAccountWorkspaceMember[];
  next_page: string | null;
};

export type WorkspacesServiceAccountsAddParams = {
  workspace_id: string;
};

export type WorkspacesServiceAccountsAddBody = {
  service_account_id: string;
  workspace_role: "workspace_user" | "workspace_developer" | "workspace_restricted_developer" | "workspace_admin";
};

export type WorkspacesServiceAccountsAddReply = ServiceAccountWorkspaceMember;

export type WorkspacesServiceAccountsRetrieveParams = {
  workspace_id: string;
  service_account_id: string;
};

export type WorkspacesServiceAccountsRetrieveReply = ServiceAccountWorkspaceMember;

export type WorkspacesServiceAccountsUpdateParams = {
  workspace_id: string;
  service_account_id: string;
};

export type WorkspacesServiceAccountsUpdateBody = {
  workspace_role: "workspace_user" | "workspace_developer" | "workspace_restricted_developer" | "workspace_admin";
};

export type WorkspacesServiceAccountsUpdateReply = ServiceAccountWorkspaceMember;

export type WorkspacesServiceAccountsRemoveParams = {
  workspace_id: string;
  service_account_id: string;
};

export type WorkspacesServiceAccountsRemoveReply = DeletedServiceAccountWorkspaceMember;

export type SessionsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  agent_id?: string | undefined;
  agent_version?: number | undefined;
  deployment_id?: string | undefined;
  memory_store_id?: string | undefined;
  vault_id?: string | undefined;
  statuses?: ("idle" | "running" | "rescheduling" | "terminated")[] | undefined;
  include_archived?: boolean | undefined;
  order?: "asc" | "desc" | undefined;
  created_at?: {
    gt?: string | undefined;
    gte?: string | undefined;
    lt?: string | undefined;
    lte?: string | undefined;
  } | undefined;
};

export type SessionsListReply = {
  data: Session[];
  next_page: string | null;
  prev_page: string | null;
};

export type SessionsCreateBody = {
  agent: string | {
    type: "agent";
    id: string;
    version?: number | null | undefined;
  } | {
    type: "agent_with_overrides";
    id: string;
    version?: number | null | undefined;
    model?: string | {
      id: string;
      effort?: "low" | "medium" | "high" | "xhigh" | "max" | {
        type: "low" | "medium" | "high" | "xhigh" | "max";
      } | null | undefined;
      speed?: "standard" | "fast" | null | undefined;
      inference_geo?: string | null | undefined;
    } | undefined;
    system?: string | null | undefined;
    system_prompt?: string | null | undefined;
    tools?: ({
      type: "agent_toolset_20260401";
      default_config?: {
        enabled?: boolean | null | undefined;
        permission_policy?: {
          type: "always_allow" | "always_ask" | "auto";
        } | null | undefined;
      } | null | undefined;
      configs?: {
        name: "bash" | "edit" | "read" | "write" | "glob" | "grep" | "web_fetch" | "web_search";
        type?: "bash" | "edit" | "read" | "write" | "glob" | "grep" | "web_fetch" | "web_search" | undefined;
        enabled?: boolean | null | undefined;
        permission_policy?: {
          type: "always_allow" | "always_ask" | "auto";
        } | null | undefined;
        allowed_domains?: string[] | null | undefined;
        blocked_domains?: string[] | null | undefined;
        user_location?: {
          type: "approximate";
          city?: string | null | undefined;
          country?: string | null | undefined;
          region?: string | null | undefined;
          timezone?: string | null | undefined;
        } | null | undefined;
        max_content_tokens?: number | null | undefined;
        url_sources?: {
          user_input?: "all" | "none" | {
            type: "all" | "none";
          } | null | undefined;
          client_tool_results?: "all" | "none" | {
            type: "all" | "none";
          } | {
            type: "only" | "except";
            tools: {
              type: "tool_reference";
              name: string;
            }[];
          } | null | undefined;
          server_tool_results?: "all" | "none" | {
            type: "all" | "none";
          } | {
            type: "only" | "except";
            tools: {
              type: "tool_reference";
              name: string;
            }[];
          } | null | undefined;
        } | null | undefined;
      }[] | null | undefined;
    } | {
      type: "mcp_toolset";
      mcp_server_name: string;
      default_config?: {
        enabled?: boolean | null | undefined;
        permission_policy?: {
          type: "always_allow" | "always_ask" | "auto";
        } | null | undefined;
      } | null | undefined;
      configs?: {
        name: string;
        enabled?: boolean | null | undefined;
        permission_policy?: {
          type: "always_allow" | "always_ask" | "auto";
        } | null | undefined;
      }[] | null | undefined;
    } | {
      type: "custom";
      name: string;
      description: string;
      input_schema: {
        type: "object";
        properties?: Record<string, unknown> | null | undefined;
        required?: string[] | null | undefined;
      };
    })[] | undefined;
    mcp_servers?: {
      type: "url";
      name: string;
      url: string;
    }[] | undefined;
    skills?: {
      type: "anthropic" | "custom";
      skill_id: string;
      version?: string | null | undefined;
    }[] | undefined;
  };
  environment_id: string;
  title?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  vault_ids?: string[] | null | undefined;
  resources?: ({
    type: "file";
    file_id: string;
    mount_path?: string | null | undefined;
  } | {
    type: "github_repository";
    url: string;
    authorization_token?: string | null | undefined;
    checkout?: {
      type: "branch";
      name: string;
    } | {
      type: "commit";
      sha: string;
    } | null | undefined;
    mount_path?: string | null | undefined;
  } | {
    type: "memory_store";
    memory_store_id: string;
    access?: "read_write" | "read_only" | null | undefined;
    instructions?: string | null | undefined;
  })[] | null | undefined;
  initial_events?: ({
    type: "user.message";
    content: ({
      type: "text";
      text: string;
    } | {
      type: "image";
      source: {
        type: "base64";
        media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        data: string;
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
    } | {
      type: "document";
      source: {
        type: "base64";
        media_type: "application/pdf";
        data: string;
      } | {
        type: "text";
        media_type: "text/plain";
        data: string;
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
      title?: string | null | undefined;
      context?: string | null | undefined;
    } | {
      type: "redacted";
    })[];
  } | {
    type: "user.define_outcome";
    description: string;
    rubric: {
      type: "text";
      content: string;
    } | {
      type: "file";
      file_id: string;
    };
    max_iterations?: number | null | undefined;
  })[] | null | undefined;
  budget?: {
    type: "limit";
    max_list_cost: {
      amount: string;
      currency: "USD";
    };
  } | null | undefined;
};

export type SessionsCreateReply = Session;

export type SessionsRetrieveParams = {
  session_id: string;
};

export type SessionsRetrieveReply = Session;

export type SessionsUpdateParams = {
  session_id: string;
};

export type SessionsUpdateBody = {
  title?: string | null | undefined;
  metadata?: Record<string, string | null> | null | undefined;
  budget?: {
    type: "limit";
    max_list_cost: {
      amount: string;
      currency: "USD";
    };
  } | null | undefined;
  agent?: {
    tools?: ({
      type: "agent_toolset_20260401";
      default_config?: {
        enabled?: boolean | null | undefined;
        permission_policy?: {
          type: "always_allow" | "always_ask" | "auto";
        } | null | undefined;
      } | null | undefined;
      configs?: {
        name: "bash" | "edit" | "read" | "write" | "glob" | "grep" | "web_fetch" | "web_search";
        type?: "bash" | "edit" | "read" | "write" | "glob" | "grep" | "web_fetch" | "web_search" | undefined;
        enabled?: boolean | null | undefined;
        permission_policy?: {
          type: "always_allow" | "always_ask" | "auto";
        } | null | undefined;
        allowed_domains?: string[] | null | undefined;
        blocked_domains?: string[] | null | undefined;
        user_location?: {
          type: "approximate";
          city?: string | null | undefined;
          country?: string | null | undefined;
          region?: string | null | undefined;
          timezone?: string | null | undefined;
        } | null | undefined;
        max_content_tokens?: number | null | undefined;
        url_sources?: {
          user_input?: "all" | "none" | {
            type: "all" | "none";
          } | null | undefined;
          client_tool_results?: "all" | "none" | {
            type: "all" | "none";
          } | {
            type: "only" | "except";
            tools: {
              type: "tool_reference";
              name: string;
            }[];
          } | null | undefined;
          server_tool_results?: "all" | "none" | {
            type: "all" | "none";
          } | {
            type: "only" | "except";
            tools: {
              type: "tool_reference";
              name: string;
            }[];
          } | null | undefined;
        } | null | undefined;
      }[] | null | undefined;
    } | {
      type: "mcp_toolset";
      mcp_server_name: string;
      default_config?: {
        enabled?: boolean | null | undefined;
        permission_policy?: {
          type: "always_allow" | "always_ask" | "auto";
        } | null | undefined;
      } | null | undefined;
      configs?: {
        name: string;
        enabled?: boolean | null | undefined;
        permission_policy?: {
          type: "always_allow" | "always_ask" | "auto";
        } | null | undefined;
      }[] | null | undefined;
    } | {
      type: "custom";
      name: string;
      description: string;
      input_schema: {
        type: "object";
        properties?: Record<string, unknown> | null | undefined;
        required?: string[] | null | undefined;
      };
    })[] | null | undefined;
    mcp_servers?: {
      type: "url";
      name: string;
      url: string;
    }[] | null | undefined;
  } | undefined;
  vault_ids?: string[] | null | undefined;
};

export type SessionsUpdateReply = Session;

export type SessionsDeleteParams = {
  session_id: string;
};

export type SessionsDeleteReply = DeletedSession;

export type SessionsArchiveParams = {
  session_id: string;
};

export type SessionsArchiveReply = Session;

export type SessionsEventsListParams = {
  session_id: string;
};

export type SessionsEventsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  order?: "asc" | "desc" | undefined;
  types?: ("user.message" | "user.interrupt" | "user.tool_confirmation" | "user.custom_tool_result" | "user.tool_result" | "user.define_outcome" | "system.message" | "agent.message" | "agent.thinking" | "agent.tool_use" | "agent.tool_result" | "agent.mcp_tool_use" | "agent.mcp_tool_result" | "agent.custom_tool_use" | "agent.thread_context_compacted" | "agent.thread_message_sent" | "agent.thread_message_received" | "session.status_running" | "session.status_idle" | "session.status_rescheduled" | "session.status_terminated" | "session.error" | "session.updated" | "session.usage" | "session.deleted" | "session.thread_created" | "session.thread_status_running" | "session.thread_status_idle" | "session.thread_status_rescheduled" | "session.thread_status_terminated" | "span.model_request_start" | "span.model_request_end" | "span.outcome_evaluation_start" | "span.outcome_evaluation_ongoing" | "span.outcome_evaluation_end" | "workflow_run.created" | "workflow_run.status_running" | "workflow_run.status_idle" | "workflow_run.phase_started" | "workflow_run.phase_ended" | "workflow_run.error" | "workflow_run.status_ended")[] | undefined;
  created_at?: {
    gt?: string | undefined;
    gte?: string | undefined;
    lt?: string | undefined;
    lte?: string | undefined;
  } | undefined;
};

export type SessionsEventsListReply = {
  data: SessionEvent[];
  next_page: string | null;
};

export type SessionsEventsSendParams = {
  session_id: string;
};

export type SessionsEventsSendBody = {
  events: ({
    type: "user.message";
    content: ({
      type: "text";
      text: string;
    } | {
      type: "image";
      source: {
        type: "base64";
        media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        data: string;
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
    } | {
      type: "document";
      source: {
        type: "base64";
        media_type: "application/pdf";
        data: string;
      } | {
        type: "text";
        media_type: "text/plain";
        data: string;
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
      title?: string | null | undefined;
      context?: string | null | undefined;
    } | {
      type: "redacted";
    })[];
  } | {
    type: "user.define_outcome";
    description: string;
    rubric: {
      type: "text";
      content: string;
    } | {
      type: "file";
      file_id: string;
    };
    max_iterations?: number | null | undefined;
  } | {
    type: "user.interrupt";
    session_thread_id?: string | null | undefined;
  } | {
    type: "user.tool_confirmation";
    tool_use_id: string;
    result: "allow" | "deny";
    deny_message?: string | null | undefined;
  } | {
    type: "user.tool_result";
    tool_use_id: string;
    content?: ({
      type: "text";
      text: string;
    } | {
      type: "image";
      source: {
        type: "base64";
        media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        data: string;
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
    } | {
      type: "document";
      source: {
        type: "base64";
        media_type: "application/pdf";
        data: string;
      } | {
        type: "text";
        media_type: "text/plain";
        data: string;
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
      title?: string | null | undefined;
      context?: string | null | undefined;
    } | {
      type: "search_result";
      source: string;
      title: string;
      content: {
        type: "text";
        text: string;
      }[];
      citations?: {
        enabled: boolean;
      } | undefined;
    })[] | null | undefined;
    is_error?: boolean | null | undefined;
  } | {
    type: "user.custom_tool_result";
    custom_tool_use_id: string;
    content?: ({
      type: "text";
      text: string;
    } | {
      type: "image";
      source: {
        type: "base64";
        media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        data: string;
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
    } | {
      type: "document";
      source: {
        type: "base64";
        media_type: "application/pdf";
        data: string;
      } | {
        type: "text";
        media_type: "text/plain";
        data: string;
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
      title?: string | null | undefined;
      context?: string | null | undefined;
    } | {
      type: "search_result";
      source: string;
      title: string;
      content: {
        type: "text";
        text: string;
      }[];
      citations?: {
        enabled: boolean;
      } | undefined;
    })[] | null | undefined;
    is_error?: boolean | null | undefined;
  } | {
    type: "system.message";
    content: {
      type: "text";
      text: string;
    }[];
  })[];
};

export type SessionsEventsSendReply = SentEvents;

export type SessionsEventsStreamParams = {
  session_id: string;
};

export type SessionsEventsStreamQuery = {
  event_deltas?: ("agent.message" | "agent.thinking" | "agent.mcp_tool_use")[] | undefined;
};

export type SessionsResourcesListParams = {
  session_id: string;
};

export type SessionsResourcesListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type SessionsResourcesListReply = {
  data: (SessionFile | SessionRepository | SessionMemoryStore)[];
  next_page: string | null;
};

export type SessionsResourcesAddParams = {
  session_id: string;
};

export type SessionsResourcesAddBody = {
  type: "file";
  file_id: string;
  mount_path?: string | null | undefined;
};

export type SessionsResourcesAddReply = SessionFile;

export type SessionsResourcesRetrieveParams = {
  session_id: string;
  resource_id: string;
};

export type SessionsResourcesRetrieveReply = SessionFile | SessionRepository | SessionMemoryStore;

export type SessionsResourcesUpdateParams = {
  session_id: string;
  resource_id: string;
};

export type SessionsResourcesUpdateBody = {
  authorization_token: string;
};

export type SessionsResourcesUpdateReply = SessionFile | SessionRepository | SessionMemoryStore;

export type SessionsResourcesDeleteParams = {
  session_id: string;
  resource_id: string;
};

export type SessionsResourcesDeleteReply = DeletedSessionResource;

export type SessionsThreadsListParams = {
  session_id: string;
};

export type SessionsThreadsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  statuses?: ("idle" | "running" | "rescheduling" | "terminated")[] | undefined;
};

export type SessionsThreadsListReply = {
  data: SessionThread[];
  next_page: string | null;
};

export type SessionsThreadsRetrieveParams = {
  session_id: string;
  thread_id: string;
};

export type SessionsThreadsRetrieveReply = SessionThread;

export type SessionsThreadsArchiveParams = {
  session_id: string;
  thread_id: string;
};

export type SessionsThreadsArchiveReply = SessionThread;

export type SessionsThreadsEventsListParams = {
  session_id: string;
  thread_id: string;
};

export type SessionsThreadsEventsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type SessionsThreadsEventsListReply = {
  data: SessionEvent[];
  next_page: string | null;
};

export type SessionsThreadsEventsStreamParams = {
  session_id: string;
  thread_id: string;
};

export type SessionsThreadsEventsStreamQuery = {
  event_deltas?: ("agent.message" | "agent.thinking" | "agent.mcp_tool_use")[] | undefined;
};

export type SkillsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  source?: "custom" | "anthropic" | "anthropic_example" | "plugin" | undefined;
};

export type SkillsListReply = {
  data: Skill[];
  next_page: string | null;
};

export type SkillsCreateReply = Skill;

export type SkillsRetrieveParams = {
  skill_id: string;
};

export type SkillsRetrieveReply = Skill;

export type SkillsDeleteParams = {
  skill_id: string;
};

export type SkillsDeleteReply = DeletedSkill;

export type SkillsVersionsListParams = {
  skill_id: string;
};

export type SkillsVersionsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
};

export type SkillsVersionsListReply = {
  data: SkillVersion[];
  next_page: string | null;
};

export type SkillsVersionsCreateParams = {
  skill_id: string;
};

export type SkillsVersionsCreateReply = SkillVersion;

export type SkillsVersionsRetrieveParams = {
  skill_id: string;
  version: string;
};

export type SkillsVersionsRetrieveReply = SkillVersion;

export type SkillsVersionsDeleteParams = {
  skill_id: string;
  version: string;
};

export type SkillsVersionsDeleteReply = DeletedSkillVersion;

export type SkillsVersionsDownloadParams = {
  skill_id: string;
  version: string;
};

export type VaultsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  include_archived?: boolean | undefined;
};

export type VaultsListReply = {
  data: Vault[];
  next_page: string | null;
};

export type VaultsCreateBody = {
  display_name: string;
  metadata?: Record<string, string> | null | undefined;
};

export type VaultsCreateReply = Vault;

export type VaultsRetrieveParams = {
  vault_id: string;
};

export type VaultsRetrieveReply = Vault;

export type VaultsUpdateParams = {
  vault_id: string;
};

export type VaultsUpdateBody = {
  id?: string | undefined;
  type?: "vault" | undefined;
  created_at?: string | undefined;
  updated_at?: string | undefined;
  archived_at?: string | null | undefined;
  display_name?: string | null | undefined;
  metadata?: Record<string, string | null> | null | undefined;
};

export type VaultsUpdateReply = Vault;

export type VaultsDeleteParams = {
  vault_id: string;
};

export type VaultsDeleteReply = DeletedVault;

export type VaultsArchiveParams = {
  vault_id: string;
};

export type VaultsArchiveReply = Vault;

export type VaultsCredentialsListParams = {
  vault_id: string;
};

export type VaultsCredentialsListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  include_archived?: boolean | undefined;
};

export type VaultsCredentialsListReply = {
  data: VaultCredential[];
  next_page: string | null;
};

export type VaultsCredentialsCreateParams = {
  vault_id: string;
};

export type VaultsCredentialsCreateBody = {
  auth: {
    type: "static_bearer";
    token: string;
    mcp_server_url: string;
  } | {
    type: "mcp_oauth";
    access_token: string;
    mcp_server_url: string;
    expires_at?: string | null | undefined;
    refresh?: {
      client_id: string;
      refresh_token: string;
      token_endpoint: string;
      token_endpoint_auth: {
        type: "none";
      } | {
        type: "client_secret_basic";
        client_secret: string;
      } | {
        type: "client_secret_post";
        client_secret: string;
      };
      resource?: string | null | undefined;
      scope?: string | null | undefined;
    } | null | undefined;
  } | {
    type: "environment_variable";
    secret_name: string;
    secret_value: string;
    networking: {
      type: "unrestricted";
    } | {
      type: "limited";
      allowed_hosts: string[];
    };
    injection_location?: {
      header?: boolean | undefined;
      body?: boolean | undefined;
    } | null | undefined;
  };
  display_name?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
};

export type VaultsCredentialsCreateReply = VaultCredential;

export type VaultsCredentialsRetrieveParams = {
  vault_id: string;
  credential_id: string;
};

export type VaultsCredentialsRetrieveReply = VaultCredential;

export type VaultsCredentialsUpdateParams = {
  vault_id: string;
  credential_id: string;
};

export type VaultsCredentialsUpdateBody = {
  id?: string | undefined;
  type?: "vault_credential" | undefined;
  created_at?: string | undefined;
  updated_at?: string | undefined;
  archived_at?: string | null | undefined;
  vault_id?: string | undefined;
  auth?: {
    type: "static_bearer";
    token?: string | null | undefined;
    mcp_server_url?: string | undefined;
  } | {
    type: "mcp_oauth";
    access_token?: string | null | undefined;
    mcp_server_url?: string | undefined;
    expires_at?: string | null | undefined;
    refresh?: {
      client_id?: string | undefined;
      refresh_token?: string | null | undefined;
      token_endpoint?: string | undefined;
      token_endpoint_auth?: {
        type: "none";
      } | {
        type: "client_secret_basic";
        client_secret?: string | null | undefined;
      } | {
        type: "client_secret_post";
        client_secret?: string | null | undefined;
      } | null | undefined;
      resource?: string | null | undefined;
      scope?: string | null | undefined;
    } | null | undefined;
  } | {
    type: "environment_variable";
    secret_name?: string | undefined;
    secret_value?: string | null | undefined;
    networking?: {
      type: "unrestricted";
    } | {
      type: "limited";
      allowed_hosts: string[];
    } | null | undefined;
    injection_location?: {
      header?: boolean | undefined;
      body?: boolean | undefined;
    } | null | undefined;
  } | null | undefined;
  display_name?: string | null | undefined;
  metadata?: Record<string, string | null> | null | undefined;
};

export type VaultsCredentialsUpdateReply = VaultCredential;

export type VaultsCredentialsDeleteParams = {
  vault_id: string;
  credential_id: string;
};

export type VaultsCredentialsDeleteReply = DeletedVaultCredential;

export type VaultsCredentialsArchiveParams = {
  vault_id: string;
  credential_id: string;
};

export type VaultsCredentialsArchiveReply = VaultCredential;

export type VaultsCredentialsMcpOauthValidateParams = {
  vault_id: string;
  credential_id: string;
};

export type VaultsCredentialsMcpOauthValidateReply = VaultCredentialValidation;

export type WorkspaceWebhooksListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
  order?: "asc" | "desc" | undefined;
};

export type WorkspaceWebhooksListReply = {
  data: WorkspaceWebhookEndpoint[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type WorkspaceWebhooksCreateBody = {
  description?: string | undefined;
  name?: string | undefined;
  enabled_events: ("session.created" | "session.pending" | "session.running" | "session.idled" | "session.requires_action" | "session.archived" | "session.deleted" | "session.updated" | "session.budget_reached" | "session.outcome_evaluation_ended" | "session.status_run_started" | "session.status_idled" | "session.status_rescheduled" | "session.status_terminated" | "session.thread_created" | "session.thread_idled" | "session.thread_terminated" | "agent.created" | "agent.updated" | "agent.archived" | "agent.deleted" | "deployment.created" | "deployment.updated" | "deployment.paused" | "deployment.unpaused" | "deployment.archived" | "deployment.deleted" | "deployment_run.started" | "deployment_run.succeeded" | "deployment_run.failed" | "environment.created" | "environment.updated" | "environment.archived" | "environment.deleted" | "vault.created" | "vault.archived" | "vault.deleted" | "vault_credential.created" | "vault_credential.archived" | "vault_credential.deleted" | "vault_credential.refresh_failed" | "memory_store.created" | "memory_store.archived" | "memory_store.deleted")[];
  url: string;
};

export type WorkspaceWebhooksCreateReply = NewWorkspaceWebhookEndpoint;

export type WorkspaceWebhooksRetrieveParams = {
  webhook_endpoint_id: string;
};

export type WorkspaceWebhooksRetrieveReply = WorkspaceWebhookEndpoint;

export type WorkspaceWebhooksUpdateParams = {
  webhook_endpoint_id: string;
};

export type WorkspaceWebhooksUpdateBody = {
  description?: string | undefined;
  name?: string | undefined;
  enabled_events?: ("session.created" | "session.pending" | "session.running" | "session.idled" | "session.requires_action" | "session.archived" | "session.deleted" | "session.updated" | "session.budget_reached" | "session.outcome_evaluation_ended" | "session.status_run_started" | "session.status_idled" | "session.status_rescheduled" | "session.status_terminated" | "session.thread_created" | "session.thread_idled" | "session.thread_terminated" | "agent.created" | "agent.updated" | "agent.archived" | "agent.deleted" | "deployment.created" | "deployment.updated" | "deployment.paused" | "deployment.unpaused" | "deployment.archived" | "deployment.deleted" | "deployment_run.started" | "deployment_run.succeeded" | "deployment_run.failed" | "environment.created" | "environment.updated" | "environment.archived" | "environment.deleted" | "vault.created" | "vault.archived" | "vault.deleted" | "vault_credential.created" | "vault_credential.archived" | "vault_credential.deleted" | "vault_credential.refresh_failed" | "memory_store.created" | "memory_store.archived" | "memory_store.deleted")[] | undefined;
  state?: "enabled" | "disabled" | undefined;
  url?: string | undefined;
  id?: string | undefined;
  created_at?: string | undefined;
  updated_at?: string | undefined;
  disabled_reason?: string | undefined;
};

export type WorkspaceWebhooksUpdateReply = WorkspaceWebhookEndpoint;

export type WorkspaceWebhooksDeleteParams = {
  webhook_endpoint_id: string;
};

export type WorkspaceWebhooksDeleteReply = DeletedWebhookEndpoint;

export type WorkspaceWebhooksDeliveriesParams = {
  webhook_endpoint_id: string;
};

export type WorkspaceWebhooksDeliveriesReply = {
  data: WebhookDelivery[];
};

export type WorkspaceWebhooksReplayParams = {
  webhook_endpoint_id: string;
  webhook_delivery_id: string;
};

export type WorkspaceWebhooksReplayReply = WebhookDelivery;

export type WorkspaceWebhooksRotateSecretParams = {
  webhook_endpoint_id: string;
};

export type WorkspaceWebhooksRotateSecretReply = WebhookSigningSecret;

export type WorkspaceWebhooksTestParams = {
  webhook_endpoint_id: string;
};

export type WorkspaceWebhooksTestBody = {
  event_type?: "session.created" | "session.pending" | "session.running" | "session.idled" | "session.requires_action" | "session.archived" | "session.deleted" | "session.updated" | "session.budget_reached" | "session.outcome_evaluation_ended" | "session.status_run_started" | "session.status_idled" | "session.status_rescheduled" | "session.status_terminated" | "session.thread_created" | "session.thread_idled" | "session.thread_terminated" | "agent.created" | "agent.updated" | "agent.archived" | "agent.deleted" | "deployment.created" | "deployment.updated" | "deployment.paused" | "deployment.unpaused" | "deployment.archived" | "deployment.deleted" | "deployment_run.started" | "deployment_run.succeeded" | "deployment_run.failed" | "environment.created" | "environment.updated" | "environment.archived" | "environment.deleted" | "vault.created" | "vault.archived" | "vault.deleted" | "vault_credential.created" | "vault_credential.archived" | "vault_credential.deleted" | "vault_credential.refresh_failed" | "memory_store.created" | "memory_store.archived" | "memory_store.deleted" | undefined;
};

export type WorkspaceWebhooksTestReply = WebhookDelivery;
