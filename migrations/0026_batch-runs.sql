-- Batches whose run in Temporal is gone are found and go on; how long one stands still can be told.

alter table batches
  add column progressed_at timestamptz(3) not null default now(),
  add column lost_runs smallint not null default 0,
  add column lost_after integer;

comment on column batches.progressed_at is 'when the sending itself last came on: frozen, sent, refused; delivery events are none of it';
comment on column batches.lost_runs is 'runs in a row that ended and left it behind, without progress';
comment on column batches.lost_after is 'recipients that were settled when the last of them ended';

-- Few of all batches: what their runs do is compared with them all the time.
create index batches_live on batches (id) where status in ('queued', 'scheduled', 'processing');
