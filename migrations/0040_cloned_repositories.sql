-- On which host's workspace a repository has been cloned; null where it has not been, or no sandbox had to have it yet.
alter table session_resources add column cloned_host_id text collate "C";
