-- What is done to many executions of a flow: workers do it page by page, and the row says how far
-- they are.
create table flow_operations (
  organization_id uuid not null,
  id uuid not null,
  flow_id uuid not null,
  kind text not null check (kind in ('cancel')),
  status text not null default 'running' check (status in ('running', 'completed')),
  total integer not null check (total >= 0),
  total_is_exact boolean not null,
  done integer not null default 0 check (done >= 0),
  due_at timestamptz(3) not null default clock_timestamp(),
  horizon xid8,
  request_id text,
  created_at timestamptz(3) not null default clock_timestamp(),
  completed_at timestamptz(3),
  primary key (organization_id, id),
  unique (id),
  foreign key (organization_id, flow_id) references flows (organization_id, id) on delete cascade,
  check ((completed_at is null) = (status = 'running'))
);
create index flow_operations_flow on flow_operations (organization_id, flow_id, id);
create index flow_operations_due on flow_operations (due_at) where status = 'running';
create index flow_operations_age on flow_operations (completed_at) where status = 'completed';
comment on table flow_operations is 'no personal data: organization_id id flow_id kind status total '
  'total_is_exact done due_at horizon request_id created_at completed_at';
comment on column flow_operations.total is 'executions it was about when it was asked for';
comment on column flow_operations.due_at is 'when its next page is to be done';
comment on column flow_operations.horizon is
  'transactions older than this may still start executions: they did not see that the flow was disabled';
select protect_tenant_table('flow_operations');
select vacuum_as_queue('flow_operations');
select make_resource('flow_operations', 'operation');
