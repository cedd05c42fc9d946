-- Mails that were sent through a connected account by somebody else, known from their events alone.

-- The rows themselves are in `messages`; this finds them again. Partitioned like `message_ids`.
create table external_mails (
  organization_id uuid not null,
  message_id text not null,
  connection_id uuid not null,
  address_hash bytea not null check (length(address_hash) = 16),
  bucket uuid not null,
  id uuid not null,
  look_at timestamptz(3),
  primary key (organization_id, message_id, connection_id, address_hash)
) partition by hash (message_id);
do $$
begin
  for part in 0..15 loop
    execute format(
      'create table external_mails_%s partition of external_mails
        for values with (modulus 16, remainder %s)',
      lpad(part::text, 2, '0'), part);
  end loop;
end
$$;
create index external_mails_look on external_mails (look_at) where look_at is not null;
comment on column external_mails.address_hash is
  'first 16 bytes of SHA-256(organization id, address): a mail has a row for each recipient';
comment on column external_mails.look_at is
  'when its message id is next looked for among our own mails; null: not any more';
select protect_tenant_table('external_mails');

alter table inbound_events add column look_at timestamptz(3);
comment on column inbound_events.look_at is
  'set while it waits for the answer to a call of ours, whose mail it may speak of';

comment on column messages.first_event_at is
  'when the first event that carried our tag was received; others say nothing about silence';
