-- What an organization's identity provider controls, the e-mail domains it has claimed, and SCIM.

-- One per organization at most; without a row nothing is controlled.
create table identity_providers (
  organization_id text collate "C" primary key references organizations (id),
  -- What its people call it: refusals name it.
  name text not null check (length(name) between 1 and 200),
  -- How people join beside the owners' own doors: by invitation, at their first sign-in, or by SCIM.
  provisioning text not null check (provisioning in ('none', 'jit', 'scim')),
  -- Whether it says which role a member has.
  controls_roles boolean not null,
  -- Whether SCIM pushes groups; those that it made are closed to everybody else while it does.
  controls_groups boolean not null,
  updated_at timestamptz not null
);

-- Several organizations may claim a domain; one of them has it.
create table email_domains (
  organization_id text collate "C" not null references organizations (id),
  -- Lower case, in its ASCII form.
  domain text collate "C" not null check (length(domain) between 3 and 253),
  -- What the TXT record has to hold.
  proof text not null,
  created_at timestamptz not null,
  checked_at timestamptz,
  verified_at timestamptz,
  verified_by text check (verified_by in ('dns', 'operator')),
  primary key (organization_id, domain),
  check ((verified_at is null) = (verified_by is null))
);
create unique index email_domains_verified on email_domains (domain) where verified_at is not null;

-- Whether invitations go to the organization's own domains alone.
alter table organizations add column invites_own_domains boolean not null default false;
