-- Failed executions of a flow are retried in sets, also with its newest version.
alter table flow_operations
  drop constraint flow_operations_kind_check,
  add constraint flow_operations_kind_check check (kind in ('cancel', 'retry')),
  add column skipped integer not null default 0 check (skipped >= 0),
  add column version text check (version in ('newest')),
  add column step_id text,
  add column failed_since timestamptz(3),
  add column after_id uuid,
  add check (kind = 'retry' or version is null and step_id is null and failed_since is null);
comment on column flow_operations.skipped is 'failed executions that could not be retried';
comment on column flow_operations.version is 'null: each is retried with the version that it runs';
comment on column flow_operations.step_id is 'only those that failed at this step; null: at any';
comment on column flow_operations.failed_since is 'only those that failed since then; null: ever';
comment on column flow_operations.after_id is 'the last execution of the pages that are done';
comment on table flow_operations is 'no personal data: organization_id id flow_id kind status total '
  'total_is_exact done due_at horizon request_id created_at completed_at skipped version step_id '
  'failed_since after_id';
