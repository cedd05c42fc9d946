-- Batches that are paused, throttled, or sent at each contact's local time.

alter table batches
  add column paused_reason text check (paused_reason in ('requested', 'duplicated')),
  add column throttle_per_second integer check (throttle_per_second between 1 and 10000),
  add column throttle_tokens float8 not null default 0,
  add column throttle_refilled_at timestamptz(3),
  add column timezone_aware boolean not null default false,
  add column timezone text check (length(timezone) <= 64),
  add constraint batches_paused_lives_check
    check (paused_reason is null or status in ('queued', 'scheduled', 'processing')),
  add constraint batches_local_time_check
    check (case when timezone_aware then timezone is not null and scheduled_for is not null
      else timezone is null end);
comment on column batches.paused_reason is
  'set while it is paused: nothing of it is claimed; only batches that live are paused';
comment on column batches.throttle_tokens is
  'mails that may be claimed at once by its own rate, at throttle_refilled_at';
comment on column batches.timezone is
  'scheduled_for, read in it, is the local time of all; and that of contacts without one';

-- A batch that is sent at several times: which rows at which. Without rows here all are sent at
-- once. Rows are numbered as in the ids of its messages.
create table batch_parts (
  organization_id uuid not null,
  batch_id uuid not null,
  from_row integer not null check (from_row >= 0),
  to_row integer not null,
  send_at timestamptz(3) not null,
  primary key (organization_id, batch_id, from_row),
  foreign key (organization_id, batch_id) references batches (organization_id, id)
    on delete cascade,
  check (to_row > from_row)
);
comment on table batch_parts is 'no personal data: organization_id batch_id from_row to_row send_at';
select protect_tenant_table('batch_parts');

-- Clicks of a batch are few among its events.
create index delivery_events_clicks on delivery_events (organization_id, bucket)
  where kind = 'click';
