-- A signing secret that was replaced signs on beside the new one for a while: receivers take the new one in between.

alter table webhook_endpoints
  -- Sealed. Null where none was replaced.
  add column replaced_secret text,
  add column replaced_secret_until timestamptz;
alter table webhook_endpoints alter column replaced_secret set statistics 0;
