-- The metrics count sessions by their status, from this index alone.
create index sessions_by_status on sessions (status) where archived_at is null;
