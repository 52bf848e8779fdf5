-- Models and upstreams that were set in the console. They belong to the installation, not to an organization.

create table models (
  id text collate "C" primary key,
  entry json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- `settings` never holds the key: that is sealed, and shown as its hint.
create table upstreams (
  name text collate "C" primary key,
  settings json not null,
  key_sealed text,
  key_hint text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- Rises with every change of the two; every process polls it and reads them again.
create table catalog_changes (
  one boolean primary key default true check (one),
  counter bigint not null
);
insert into catalog_changes (counter) values (0);
