alter table outbox add column request_id text;
comment on column outbox.request_id is 'of the API call that made the promise; the workflow has it in its memo';
