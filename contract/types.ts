// The shapes on the wire. Generated from the route table by tools/contract.ts: do not edit.

export type ApiKey = {
  id: string;
  type: "api_key";
  name: string;
  status: "active" | "inactive" | "archived" | "expired";
  created_at: string;
  expires_at: string | null;
  partial_key_hint: string | null;
  created_by: {
    id: string;
    type: "user" | "service_account";
  } | null;
  principal: null;
  scope: {
    type: "workspace";
    workspace_id: string;
  } | {
    type: "organization";
  };
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
  reports_cache?: boolean;
  origin: "built-in" | "console" | "settings";
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
    type: "user";
    name: string;
  } | null;
  workspace_id: string | null;
  scopes: string[];
};

export type Message = {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: {
    type: string;
  }[];
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
    compaction: null;
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

export type Organization = {
  id: string;
  type: "organization";
  name: string;
};

export type ConsoleAuditListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  action?: string | undefined;
};

export type ConsoleAuditListReply = {
  data: AuditEvent[];
  next_page: string | null;
};

export type ConsoleKeysListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  kind?: ("api" | "admin" | "oauth")[] | undefined;
  status?: ("active" | "inactive" | "archived" | "expired")[] | undefined;
  workspace_id?: string | undefined;
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
    type: "user";
    name: string;
  } | null;
  workspace_id: string | null;
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
  }[];
  permissions: string[];
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
  reports_cache?: boolean | undefined;
};

export type ConsoleModelsSetReply = ConsoleModel;

export type ConsoleModelsDeleteParams = {
  model_id: string;
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

export type ConsolePasswordBody = {
  current_password: string;
  new_password: string;
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

export type ConsoleSignInsListReply = {
  data: {
    id: string;
    type: "sign_in";
    created_at: string;
    last_seen_at: string;
    address: string;
    user_agent: string;
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
  }[] | undefined;
};

export type ConsoleUpstreamsSetReply = ConsoleUpstream;

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

export type OperationsHealthReply = {
  status: "ok";
};

export type DocumentsOpenapiReply = {
  openapi: string;
};

export type OperationsReadyReply = {
  status: "ready";
};

export type MessagesCreateBody = {
  model: string;
  messages: {
    role: "user";
    content: string | {
      type: "text";
      text: string;
      citations?: {
        type: string;
      }[] | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_use";
      id: string;
      name: string;
      input: Record<string, unknown>;
      caller?: {
        type: string;
      } | undefined;
      toolset_name?: string | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_result";
      tool_use_id: string;
      content?: string | {
        type: "text";
        text: string;
        citations?: {
          type: string;
        }[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
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
        transformations?: {
          oversized_image?: "downsize" | "error" | undefined;
        } | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      } | {
        type: "search_result";
        source: string;
        title: string;
        content: {
          type: "text";
          text: string;
          citations?: {
            type: string;
          }[] | null | undefined;
          cache_control?: {
            type: "ephemeral";
            ttl?: "5m" | "1h" | undefined;
          } | null | undefined;
        }[];
        citations?: {
          enabled?: boolean | undefined;
        } | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
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
          type: "content";
          content: string | {
            type: "text";
            text: string;
            citations?: {
              type: string;
            }[] | null | undefined;
            cache_control?: {
              type: "ephemeral";
              ttl?: "5m" | "1h" | undefined;
            } | null | undefined;
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
            transformations?: {
              oversized_image?: "downsize" | "error" | undefined;
            } | null | undefined;
            cache_control?: {
              type: "ephemeral";
              ttl?: "5m" | "1h" | undefined;
            } | null | undefined;
          }[];
        } | {
          type: "url";
          url: string;
        } | {
          type: "file";
          file_id: string;
        };
        title?: string | null | undefined;
        context?: string | null | undefined;
        citations?: {
          enabled?: boolean | undefined;
        } | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      } | {
        type: "tool_reference";
        tool_name: string;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      } | {
        type: "browser_state";
        tabs: Record<string, unknown>[];
        state_changes?: Record<string, unknown>[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      }[] | undefined;
      is_error?: boolean | undefined;
      toolset_name?: string | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "thinking";
      thinking: string;
      signature: string;
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
      transformations?: {
        oversized_image?: "downsize" | "error" | undefined;
      } | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
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
        type: "content";
        content: string | {
          type: "text";
          text: string;
          citations?: {
            type: string;
          }[] | null | undefined;
          cache_control?: {
            type: "ephemeral";
            ttl?: "5m" | "1h" | undefined;
          } | null | undefined;
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
          transformations?: {
            oversized_image?: "downsize" | "error" | undefined;
          } | null | undefined;
          cache_control?: {
            type: "ephemeral";
            ttl?: "5m" | "1h" | undefined;
          } | null | undefined;
        }[];
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
      title?: string | null | undefined;
      context?: string | null | undefined;
      citations?: {
        enabled?: boolean | undefined;
      } | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "search_result";
      source: string;
      title: string;
      content: {
        type: "text";
        text: string;
        citations?: {
          type: string;
        }[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      }[];
      citations?: {
        enabled?: boolean | undefined;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "redacted_thinking";
      data: string;
    } | {
      type: "fallback";
      from: {
        model: string;
      };
      to: {
        model: string;
      };
      trigger?: Record<string, unknown> | null | undefined;
    } | {
      type: "server_tool_use";
      id: string;
      name: string;
      input: Record<string, unknown>;
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "web_search_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "web_fetch_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "code_execution_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "bash_code_execution_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "text_editor_code_execution_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_search_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "advisor_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "mcp_tool_use";
      id: string;
      name: string;
      server_name: string;
      input: Record<string, unknown>;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "mcp_tool_result";
      tool_use_id: string;
      content?: string | {
        type: "text";
        text: string;
        citations?: {
          type: string;
        }[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      }[] | undefined;
      is_error?: boolean | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "mcp_tool_listing";
      mcp_server_name: string;
      tools: Record<string, unknown>[];
    } | {
      type: "container_upload";
      file_id: string;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "compaction";
      content?: string | null | undefined;
      encrypted_content?: string | null | undefined;
      signature?: string | null | undefined;
      tool_changes?: Record<string, unknown>[] | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_addition";
      tool: {
        type: string;
      };
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_removal";
      tool: {
        type: string;
      };
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "connector_text";
    }[];
  } | {
    role: "assistant";
    content: string | {
      type: "text";
      text: string;
      citations?: {
        type: string;
      }[] | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_use";
      id: string;
      name: string;
      input: Record<string, unknown>;
      caller?: {
        type: string;
      } | undefined;
      toolset_name?: string | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_result";
      tool_use_id: string;
      content?: string | {
        type: "text";
        text: string;
        citations?: {
          type: string;
        }[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
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
        transformations?: {
          oversized_image?: "downsize" | "error" | undefined;
        } | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      } | {
        type: "search_result";
        source: string;
        title: string;
        content: {
          type: "text";
          text: string;
          citations?: {
            type: string;
          }[] | null | undefined;
          cache_control?: {
            type: "ephemeral";
            ttl?: "5m" | "1h" | undefined;
          } | null | undefined;
        }[];
        citations?: {
          enabled?: boolean | undefined;
        } | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
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
          type: "content";
          content: string | {
            type: "text";
            text: string;
            citations?: {
              type: string;
            }[] | null | undefined;
            cache_control?: {
              type: "ephemeral";
              ttl?: "5m" | "1h" | undefined;
            } | null | undefined;
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
            transformations?: {
              oversized_image?: "downsize" | "error" | undefined;
            } | null | undefined;
            cache_control?: {
              type: "ephemeral";
              ttl?: "5m" | "1h" | undefined;
            } | null | undefined;
          }[];
        } | {
          type: "url";
          url: string;
        } | {
          type: "file";
          file_id: string;
        };
        title?: string | null | undefined;
        context?: string | null | undefined;
        citations?: {
          enabled?: boolean | undefined;
        } | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      } | {
        type: "tool_reference";
        tool_name: string;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      } | {
        type: "browser_state";
        tabs: Record<string, unknown>[];
        state_changes?: Record<string, unknown>[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      }[] | undefined;
      is_error?: boolean | undefined;
      toolset_name?: string | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "thinking";
      thinking: string;
      signature: string;
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
      transformations?: {
        oversized_image?: "downsize" | "error" | undefined;
      } | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
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
        type: "content";
        content: string | {
          type: "text";
          text: string;
          citations?: {
            type: string;
          }[] | null | undefined;
          cache_control?: {
            type: "ephemeral";
            ttl?: "5m" | "1h" | undefined;
          } | null | undefined;
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
          transformations?: {
            oversized_image?: "downsize" | "error" | undefined;
          } | null | undefined;
          cache_control?: {
            type: "ephemeral";
            ttl?: "5m" | "1h" | undefined;
          } | null | undefined;
        }[];
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
      title?: string | null | undefined;
      context?: string | null | undefined;
      citations?: {
        enabled?: boolean | undefined;
      } | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "search_result";
      source: string;
      title: string;
      content: {
        type: "text";
        text: string;
        citations?: {
          type: string;
        }[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      }[];
      citations?: {
        enabled?: boolean | undefined;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "redacted_thinking";
      data: string;
    } | {
      type: "fallback";
      from: {
        model: string;
      };
      to: {
        model: string;
      };
      trigger?: Record<string, unknown> | null | undefined;
    } | {
      type: "server_tool_use";
      id: string;
      name: string;
      input: Record<string, unknown>;
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "web_search_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "web_fetch_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "code_execution_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "bash_code_execution_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "text_editor_code_execution_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_search_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "advisor_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "mcp_tool_use";
      id: string;
      name: string;
      server_name: string;
      input: Record<string, unknown>;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "mcp_tool_result";
      tool_use_id: string;
      content?: string | {
        type: "text";
        text: string;
        citations?: {
          type: string;
        }[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      }[] | undefined;
      is_error?: boolean | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "mcp_tool_listing";
      mcp_server_name: string;
      tools: Record<string, unknown>[];
    } | {
      type: "container_upload";
      file_id: string;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "compaction";
      content?: string | null | undefined;
      encrypted_content?: string | null | undefined;
      signature?: string | null | undefined;
      tool_changes?: Record<string, unknown>[] | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_addition";
      tool: {
        type: string;
      };
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_removal";
      tool: {
        type: string;
      };
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "connector_text";
    }[];
  } | {
    role: "system";
    content?: string | {
      type: "text";
      text: string;
      citations?: {
        type: string;
      }[] | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_addition";
      tool: {
        type: string;
      };
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_removal";
      tool: {
        type: string;
      };
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    }[] | undefined;
    clear_at?: "next_user_message" | "never" | null | undefined;
    output_config?: {
      effort?: "low" | "medium" | "high" | "xhigh" | "max" | null | undefined;
    } | null | undefined;
  }[];
  system?: string | {
    type: "text";
    text: string;
    citations?: {
      type: string;
    }[] | null | undefined;
    cache_control?: {
      type: "ephemeral";
      ttl?: "5m" | "1h" | undefined;
    } | null | undefined;
  }[] | undefined;
  tools?: {
    type?: "custom" | null | undefined;
    name: string;
    input_schema: {
      type: "object";
    };
    description?: string | undefined;
    cache_control?: {
      type: "ephemeral";
      ttl?: "5m" | "1h" | undefined;
    } | null | undefined;
    strict?: boolean | undefined;
    defer_loading?: boolean | undefined;
    allowed_callers?: string[] | undefined;
    input_examples?: Record<string, unknown>[] | undefined;
    eager_input_streaming?: boolean | null | undefined;
  } | {
    type: string;
    name?: string | undefined;
    cache_control?: {
      type: "ephemeral";
      ttl?: "5m" | "1h" | undefined;
    } | null | undefined;
  }[] | undefined;
  tool_choice?: {
    type: "auto";
    disable_parallel_tool_use?: boolean | undefined;
  } | {
    type: "any";
    disable_parallel_tool_use?: boolean | undefined;
  } | {
    type: "tool";
    name: string;
    disable_parallel_tool_use?: boolean | undefined;
  } | {
    type: "none";
  } | undefined;
  thinking?: {
    type: "enabled";
    budget_tokens: number;
    display?: "summarized" | "omitted" | "updates" | null | undefined;
    block_binding?: Record<string, unknown> | null | undefined;
  } | {
    type: "adaptive";
    display?: "summarized" | "omitted" | "updates" | null | undefined;
    block_binding?: Record<string, unknown> | null | undefined;
  } | {
    type: "disabled";
  } | {
    type: "between_tools";
  } | null | undefined;
  output_config?: {
    effort?: "low" | "medium" | "high" | "xhigh" | "max" | null | undefined;
    format?: {
      type: "json_schema";
      schema: Record<string, unknown>;
    } | null | undefined;
    task_budget?: {
      type: "tokens";
      total: number;
      remaining?: number | null | undefined;
    } | null | undefined;
  } | null | undefined;
  output_format?: {
    type: "json_schema";
    schema: Record<string, unknown>;
  } | null | undefined;
  stop_sequences?: string[] | undefined;
  stream?: boolean | undefined;
  metadata?: {
    user_id?: string | null | undefined;
  } | undefined;
  service_tier?: "auto" | "standard_only" | undefined;
  speed?: "standard" | "fast" | null | undefined;
  cache_control?: {
    type: "ephemeral";
    ttl?: "5m" | "1h" | undefined;
  } | null | undefined;
  inference_geo?: string | null | undefined;
  diagnostics?: {
    previous_message_id?: string | null | undefined;
  } | null | undefined;
  billing_policy?: {
    type: "billing_policy";
    bill_to?: "self" | undefined;
  } | null | undefined;
  temperature?: number | undefined;
  top_p?: number | undefined;
  top_k?: number | undefined;
  mcp_servers?: {
    type: "url";
    name: string;
    url: string;
    authorization_token?: string | null | undefined;
    tool_configuration?: {
      enabled?: boolean | null | undefined;
      allowed_tools?: string[] | null | undefined;
    } | null | undefined;
  }[] | undefined;
  context_management?: {
    edits?: {
      type: string;
    }[] | undefined;
  } | null | undefined;
  container?: string | {
    id?: string | null | undefined;
    skills?: {
      type: "anthropic" | "custom";
      skill_id: string;
      version?: string | undefined;
    }[] | null | undefined;
  } | null | undefined;
  compaction?: {
    type: "summarize";
    instructions?: string | null | undefined;
  } | null | undefined;
  max_tokens: number;
};

export type MessagesCreateReply = Message;

export type MessagesCountTokensBody = {
  model: string;
  messages: {
    role: "user";
    content: string | {
      type: "text";
      text: string;
      citations?: {
        type: string;
      }[] | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_use";
      id: string;
      name: string;
      input: Record<string, unknown>;
      caller?: {
        type: string;
      } | undefined;
      toolset_name?: string | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_result";
      tool_use_id: string;
      content?: string | {
        type: "text";
        text: string;
        citations?: {
          type: string;
        }[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
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
        transformations?: {
          oversized_image?: "downsize" | "error" | undefined;
        } | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      } | {
        type: "search_result";
        source: string;
        title: string;
        content: {
          type: "text";
          text: string;
          citations?: {
            type: string;
          }[] | null | undefined;
          cache_control?: {
            type: "ephemeral";
            ttl?: "5m" | "1h" | undefined;
          } | null | undefined;
        }[];
        citations?: {
          enabled?: boolean | undefined;
        } | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
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
          type: "content";
          content: string | {
            type: "text";
            text: string;
            citations?: {
              type: string;
            }[] | null | undefined;
            cache_control?: {
              type: "ephemeral";
              ttl?: "5m" | "1h" | undefined;
            } | null | undefined;
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
            transformations?: {
              oversized_image?: "downsize" | "error" | undefined;
            } | null | undefined;
            cache_control?: {
              type: "ephemeral";
              ttl?: "5m" | "1h" | undefined;
            } | null | undefined;
          }[];
        } | {
          type: "url";
          url: string;
        } | {
          type: "file";
          file_id: string;
        };
        title?: string | null | undefined;
        context?: string | null | undefined;
        citations?: {
          enabled?: boolean | undefined;
        } | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      } | {
        type: "tool_reference";
        tool_name: string;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      } | {
        type: "browser_state";
        tabs: Record<string, unknown>[];
        state_changes?: Record<string, unknown>[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      }[] | undefined;
      is_error?: boolean | undefined;
      toolset_name?: string | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "thinking";
      thinking: string;
      signature: string;
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
      transformations?: {
        oversized_image?: "downsize" | "error" | undefined;
      } | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
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
        type: "content";
        content: string | {
          type: "text";
          text: string;
          citations?: {
            type: string;
          }[] | null | undefined;
          cache_control?: {
            type: "ephemeral";
            ttl?: "5m" | "1h" | undefined;
          } | null | undefined;
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
          transformations?: {
            oversized_image?: "downsize" | "error" | undefined;
          } | null | undefined;
          cache_control?: {
            type: "ephemeral";
            ttl?: "5m" | "1h" | undefined;
          } | null | undefined;
        }[];
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
      title?: string | null | undefined;
      context?: string | null | undefined;
      citations?: {
        enabled?: boolean | undefined;
      } | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "search_result";
      source: string;
      title: string;
      content: {
        type: "text";
        text: string;
        citations?: {
          type: string;
        }[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      }[];
      citations?: {
        enabled?: boolean | undefined;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "redacted_thinking";
      data: string;
    } | {
      type: "fallback";
      from: {
        model: string;
      };
      to: {
        model: string;
      };
      trigger?: Record<string, unknown> | null | undefined;
    } | {
      type: "server_tool_use";
      id: string;
      name: string;
      input: Record<string, unknown>;
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "web_search_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "web_fetch_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "code_execution_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "bash_code_execution_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "text_editor_code_execution_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_search_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "advisor_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "mcp_tool_use";
      id: string;
      name: string;
      server_name: string;
      input: Record<string, unknown>;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "mcp_tool_result";
      tool_use_id: string;
      content?: string | {
        type: "text";
        text: string;
        citations?: {
          type: string;
        }[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      }[] | undefined;
      is_error?: boolean | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "mcp_tool_listing";
      mcp_server_name: string;
      tools: Record<string, unknown>[];
    } | {
      type: "container_upload";
      file_id: string;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "compaction";
      content?: string | null | undefined;
      encrypted_content?: string | null | undefined;
      signature?: string | null | undefined;
      tool_changes?: Record<string, unknown>[] | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_addition";
      tool: {
        type: string;
      };
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_removal";
      tool: {
        type: string;
      };
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "connector_text";
    }[];
  } | {
    role: "assistant";
    content: string | {
      type: "text";
      text: string;
      citations?: {
        type: string;
      }[] | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_use";
      id: string;
      name: string;
      input: Record<string, unknown>;
      caller?: {
        type: string;
      } | undefined;
      toolset_name?: string | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_result";
      tool_use_id: string;
      content?: string | {
        type: "text";
        text: string;
        citations?: {
          type: string;
        }[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
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
        transformations?: {
          oversized_image?: "downsize" | "error" | undefined;
        } | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      } | {
        type: "search_result";
        source: string;
        title: string;
        content: {
          type: "text";
          text: string;
          citations?: {
            type: string;
          }[] | null | undefined;
          cache_control?: {
            type: "ephemeral";
            ttl?: "5m" | "1h" | undefined;
          } | null | undefined;
        }[];
        citations?: {
          enabled?: boolean | undefined;
        } | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
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
          type: "content";
          content: string | {
            type: "text";
            text: string;
            citations?: {
              type: string;
            }[] | null | undefined;
            cache_control?: {
              type: "ephemeral";
              ttl?: "5m" | "1h" | undefined;
            } | null | undefined;
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
            transformations?: {
              oversized_image?: "downsize" | "error" | undefined;
            } | null | undefined;
            cache_control?: {
              type: "ephemeral";
              ttl?: "5m" | "1h" | undefined;
            } | null | undefined;
          }[];
        } | {
          type: "url";
          url: string;
        } | {
          type: "file";
          file_id: string;
        };
        title?: string | null | undefined;
        context?: string | null | undefined;
        citations?: {
          enabled?: boolean | undefined;
        } | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      } | {
        type: "tool_reference";
        tool_name: string;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      } | {
        type: "browser_state";
        tabs: Record<string, unknown>[];
        state_changes?: Record<string, unknown>[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      }[] | undefined;
      is_error?: boolean | undefined;
      toolset_name?: string | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "thinking";
      thinking: string;
      signature: string;
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
      transformations?: {
        oversized_image?: "downsize" | "error" | undefined;
      } | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
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
        type: "content";
        content: string | {
          type: "text";
          text: string;
          citations?: {
            type: string;
          }[] | null | undefined;
          cache_control?: {
            type: "ephemeral";
            ttl?: "5m" | "1h" | undefined;
          } | null | undefined;
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
          transformations?: {
            oversized_image?: "downsize" | "error" | undefined;
          } | null | undefined;
          cache_control?: {
            type: "ephemeral";
            ttl?: "5m" | "1h" | undefined;
          } | null | undefined;
        }[];
      } | {
        type: "url";
        url: string;
      } | {
        type: "file";
        file_id: string;
      };
      title?: string | null | undefined;
      context?: string | null | undefined;
      citations?: {
        enabled?: boolean | undefined;
      } | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "search_result";
      source: string;
      title: string;
      content: {
        type: "text";
        text: string;
        citations?: {
          type: string;
        }[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      }[];
      citations?: {
        enabled?: boolean | undefined;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "redacted_thinking";
      data: string;
    } | {
      type: "fallback";
      from: {
        model: string;
      };
      to: {
        model: string;
      };
      trigger?: Record<string, unknown> | null | undefined;
    } | {
      type: "server_tool_use";
      id: string;
      name: string;
      input: Record<string, unknown>;
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "web_search_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "web_fetch_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "code_execution_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "bash_code_execution_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "text_editor_code_execution_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_search_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "advisor_tool_result";
      tool_use_id: string;
      content: Record<string, unknown> | Record<string, unknown>[];
      caller?: {
        type: string;
      } | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "mcp_tool_use";
      id: string;
      name: string;
      server_name: string;
      input: Record<string, unknown>;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "mcp_tool_result";
      tool_use_id: string;
      content?: string | {
        type: "text";
        text: string;
        citations?: {
          type: string;
        }[] | null | undefined;
        cache_control?: {
          type: "ephemeral";
          ttl?: "5m" | "1h" | undefined;
        } | null | undefined;
      }[] | undefined;
      is_error?: boolean | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "mcp_tool_listing";
      mcp_server_name: string;
      tools: Record<string, unknown>[];
    } | {
      type: "container_upload";
      file_id: string;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "compaction";
      content?: string | null | undefined;
      encrypted_content?: string | null | undefined;
      signature?: string | null | undefined;
      tool_changes?: Record<string, unknown>[] | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_addition";
      tool: {
        type: string;
      };
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_removal";
      tool: {
        type: string;
      };
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "connector_text";
    }[];
  } | {
    role: "system";
    content?: string | {
      type: "text";
      text: string;
      citations?: {
        type: string;
      }[] | null | undefined;
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_addition";
      tool: {
        type: string;
      };
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    } | {
      type: "tool_removal";
      tool: {
        type: string;
      };
      cache_control?: {
        type: "ephemeral";
        ttl?: "5m" | "1h" | undefined;
      } | null | undefined;
    }[] | undefined;
    clear_at?: "next_user_message" | "never" | null | undefined;
    output_config?: {
      effort?: "low" | "medium" | "high" | "xhigh" | "max" | null | undefined;
    } | null | undefined;
  }[];
  system?: string | {
    type: "text";
    text: string;
    citations?: {
      type: string;
    }[] | null | undefined;
    cache_control?: {
      type: "ephemeral";
      ttl?: "5m" | "1h" | undefined;
    } | null | undefined;
  }[] | undefined;
  tools?: {
    type?: "custom" | null | undefined;
    name: string;
    input_schema: {
      type: "object";
    };
    description?: string | undefined;
    cache_control?: {
      type: "ephemeral";
      ttl?: "5m" | "1h" | undefined;
    } | null | undefined;
    strict?: boolean | undefined;
    defer_loading?: boolean | undefined;
    allowed_callers?: string[] | undefined;
    input_examples?: Record<string, unknown>[] | undefined;
    eager_input_streaming?: boolean | null | undefined;
  } | {
    type: string;
    name?: string | undefined;
    cache_control?: {
      type: "ephemeral";
      ttl?: "5m" | "1h" | undefined;
    } | null | undefined;
  }[] | undefined;
  tool_choice?: {
    type: "auto";
    disable_parallel_tool_use?: boolean | undefined;
  } | {
    type: "any";
    disable_parallel_tool_use?: boolean | undefined;
  } | {
    type: "tool";
    name: string;
    disable_parallel_tool_use?: boolean | undefined;
  } | {
    type: "none";
  } | undefined;
  thinking?: {
    type: "enabled";
    budget_tokens: number;
    display?: "summarized" | "omitted" | "updates" | null | undefined;
    block_binding?: Record<string, unknown> | null | undefined;
  } | {
    type: "adaptive";
    display?: "summarized" | "omitted" | "updates" | null | undefined;
    block_binding?: Record<string, unknown> | null | undefined;
  } | {
    type: "disabled";
  } | {
    type: "between_tools";
  } | null | undefined;
  output_config?: {
    effort?: "low" | "medium" | "high" | "xhigh" | "max" | null | undefined;
    format?: {
      type: "json_schema";
      schema: Record<string, unknown>;
    } | null | undefined;
    task_budget?: {
      type: "tokens";
      total: number;
      remaining?: number | null | undefined;
    } | null | undefined;
  } | null | undefined;
  output_format?: {
    type: "json_schema";
    schema: Record<string, unknown>;
  } | null | undefined;
  stop_sequences?: string[] | undefined;
  stream?: boolean | undefined;
  metadata?: {
    user_id?: string | null | undefined;
  } | undefined;
  service_tier?: "auto" | "standard_only" | undefined;
  speed?: "standard" | "fast" | null | undefined;
  cache_control?: {
    type: "ephemeral";
    ttl?: "5m" | "1h" | undefined;
  } | null | undefined;
  inference_geo?: string | null | undefined;
  diagnostics?: {
    previous_message_id?: string | null | undefined;
  } | null | undefined;
  billing_policy?: {
    type: "billing_policy";
    bill_to?: "self" | undefined;
  } | null | undefined;
  temperature?: number | undefined;
  top_p?: number | undefined;
  top_k?: number | undefined;
  mcp_servers?: {
    type: "url";
    name: string;
    url: string;
    authorization_token?: string | null | undefined;
    tool_configuration?: {
      enabled?: boolean | null | undefined;
      allowed_tools?: string[] | null | undefined;
    } | null | undefined;
  }[] | undefined;
  context_management?: {
    edits?: {
      type: string;
    }[] | undefined;
  } | null | undefined;
  container?: string | {
    id?: string | null | undefined;
    skills?: {
      type: "anthropic" | "custom";
      skill_id: string;
      version?: string | undefined;
    }[] | null | undefined;
  } | null | undefined;
  compaction?: {
    type: "summarize";
    instructions?: string | null | undefined;
  } | null | undefined;
  max_tokens?: number | undefined;
};

export type MessagesCountTokensReply = {
  input_tokens: number;
  context_management?: null;
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

export type ApiKeysListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
  status?: "active" | "inactive" | "archived" | "expired" | undefined;
  workspace_id?: string | undefined;
  created_by_user_id?: string | undefined;
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

export type OrganizationsMeReply = Organization;
