-- Groups and custom roles.

create table rbac_groups (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  -- Not unique.
  name text not null check (length(name) between 1 and 200),
  source_type text collate "C" not null check (source_type in ('direct', 'scim')),
  -- What the identity provider calls it, where it brought it.
  external_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index rbac_groups_by_organization on rbac_groups (organization_id, id desc);
create index rbac_groups_by_external_id on rbac_groups (organization_id, external_id)
  where external_id is not null;

create table rbac_group_members (
  group_id text collate "C" not null references rbac_groups (id) on delete cascade,
  user_id text collate "C" not null references users (id) on delete cascade,
  organization_id text collate "C" not null references organizations (id),
  created_at timestamptz not null,
  primary key (group_id, user_id)
);
create index rbac_group_members_by_user on rbac_group_members (user_id, group_id);

-- Roles that an organization made. Those that are built in are the same everywhere, and no rows.
create table rbac_roles (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  name text not null check (length(name) between 1 and 200),
  description text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index rbac_roles_by_organization on rbac_roles (organization_id, id desc);
create unique index rbac_roles_name on rbac_roles (organization_id, lower(name));

create table rbac_role_permissions (
  role_id text collate "C" not null references rbac_roles (id) on delete cascade,
  action text collate "C" not null,
  primary key (role_id, action)
);

-- Which group has which roles. No foreign key to roles: it may be one that is built in.
create table rbac_group_roles (
  group_id text collate "C" not null references rbac_groups (id) on delete cascade,
  role_id text collate "C" not null,
  organization_id text collate "C" not null references organizations (id),
  primary key (group_id, role_id)
);
-- The role first: of groups, the primary key finds them.
create index rbac_group_roles_by_role on rbac_group_roles (role_id, organization_id, group_id);
