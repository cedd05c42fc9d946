-- Text messages that wait to be sent. They are in no queue of mails: no statement about mails reads
-- past them, and a sender that waits holds up no mail.
create table text_queue (
  organization_id uuid not null,
  bucket uuid not null,
  id uuid not null,
  connection_id uuid not null,
  sender text not null,
  parts smallint not null check (parts > 0),
  send_at timestamptz(3) not null,
  primary key (organization_id, id, bucket)
);
create index text_queue_due on text_queue (connection_id, sender, send_at, id);
comment on table text_queue is
  'no personal data: organization_id bucket id connection_id sender parts send_at';
comment on column text_queue.sender is
  'the organization''s own number, pool or sender id: each has a rate of its own';
select protect_tenant_table('text_queue');
select vacuum_as_queue('text_queue');
create trigger announce_work after insert on text_queue
  for each statement execute function announce_work('text_queue');

comment on column messages.parts is
  'of a text: its parts by our count, until the provider tells how many it counted';

-- The rate of a sender is of parts, and whoever uses the account shares it.
create table text_limits (
  account_id text not null,
  region text not null,
  sender text not null,
  parts_per_second double precision not null default 1 check (parts_per_second > 0),
  tokens double precision not null default 0,
  granted integer not null default 0,
  refilled_at timestamptz(3) not null default now(),
  paused_until timestamptz(3),
  paused_reason text,
  primary key (account_id, region, sender)
) with (fillfactor = 50);
comment on table text_limits is
  'no personal data: account_id region sender parts_per_second tokens granted refilled_at '
  'paused_until paused_reason';
comment on column text_limits.tokens is
  'parts that may be sent at refilled_at; below zero: a text of several parts is paid off';
comment on column text_limits.granted is
  'texts that the last update allowed: an update cannot return what it read';
grant select, insert, update, delete on text_limits to letterloom_worker;
