-- Single mail that callers hand in through the API, beside its row in the ledger.

create table transactional_mails (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  tags jsonb not null default '[]',
  retain_body boolean not null,
  sealed bytea,
  sealed_until timestamptz(3),
  primary key (organization_id, id),
  check ((sealed is null) = (sealed_until is null))
);
-- Encrypted, so that compressing it is work for nothing.
alter table transactional_mails alter column sealed set storage external;
create index transactional_mails_sealed on transactional_mails (sealed_until)
  where sealed_until is not null;
comment on table transactional_mails is
  'no personal data: organization_id id retain_body sealed_until';
comment on column transactional_mails.sealed is
  'its parts, headers and attachments, encrypted for this row; null: not kept any more, or it was '
  'never to be sent';
comment on column transactional_mails.sealed_until is
  'when the janitor looks whether the mail is settled and what it says can go';
select protect_tenant_table('transactional_mails');
select make_resource('transactional_mails', 'email');
