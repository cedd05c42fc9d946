-- Batches that somebody writes and has not sent.
create table batch_drafts (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  input jsonb not null check (jsonb_typeof(input) = 'object'),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, id)
);
comment on table batch_drafts is 'no personal data: organization_id id created_at updated_at';
comment on column batch_drafts.input is
  'parts of the body of POST /v1/batch, as they were written: nothing of it is checked';
select analyze_after_500_changes('batch_drafts');
select protect_tenant_table('batch_drafts');
select make_resource('batch_drafts', 'batch_draft');
