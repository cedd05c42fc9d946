-- Who sends the single mail of a connection at this moment: its dispatcher need not be woken then,
-- and a worker does not begin to send its transactional mail beside it.
create table mail_drains (
  organization_id uuid not null,
  connection_id uuid not null,
  held_by uuid not null,
  is_dispatcher boolean not null,
  held_until timestamptz(3) not null,
  primary key (organization_id, connection_id),
  foreign key (organization_id, connection_id)
    references connections (organization_id, id) on delete cascade
) with (fillfactor = 50);
comment on table mail_drains is
  'no personal data: organization_id connection_id held_by is_dispatcher held_until';
comment on column mail_drains.held_by is
  'the drain that sends until held_until; two at once would be harmless, and cost twice';
comment on column mail_drains.is_dispatcher is
  'true: the workflow dispatchMail sends mail of all priorities; false: a worker sends '
  'transactional mail';
select protect_tenant_table('mail_drains');
select vacuum_as_queue('mail_drains');

-- Connections with due transactional mail are found however much other mail is due.
create index mail_queue_transactional on mail_queue (send_at, connection_id) where priority = 1;
