-- What clients have sent and no turn has taken: few at any time, counted before more is taken. Events without an id are
-- none of these.
create index log_events_waiting on log_events (stream) where processed_at is null and id is not null;

-- The stream of a session is there from its beginning, so that its readers hear of its end.
insert into log_streams (stream, position) select thread_id, 0 from sessions on conflict do nothing;
