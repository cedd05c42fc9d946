-- Erasing a person: what is asked for, and how the mails of one contact are found.

create table erasures (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  contact_id uuid not null,
  contact_ids uuid[] not null
    check (contact_id = any (contact_ids) and cardinality(contact_ids) <= 1000),
  status text not null default 'running' check (status in ('running', 'completed')),
  email text,
  phone text,
  external_id text,
  horizon xid8,
  mails integer not null default 0 check (mails >= 0),
  requested_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  primary key (organization_id, id),
  unique (organization_id, contact_id),
  check ((status = 'completed') = (completed_at is not null)),
  check (status = 'running' or (email is null and phone is null and external_id is null))
);
comment on table erasures is 'the proof: no address is left in it once it is completed';
comment on column erasures.contact_ids is
  'the contact, and those who were deleted before with the same address: their logs are the same '
  'person''s';
comment on column erasures.email is 'what is still searched for; null when everything is erased';
comment on column erasures.horizon is
  'transactions from before this one may still have seen the contact, and write its address';
select protect_tenant_table('erasures');

-- Deleting a contact leaves its logs, which name it by its id alone. Importing the same person
-- again makes another id: so that an erasure finds the earlier ones too, they are remembered by a
-- hash of the address. No foreign key: contacts are deleted with their organization, too.
create table former_contacts (
  organization_id uuid not null,
  address_hash bytea not null check (length(address_hash) = 16),
  contact_id uuid not null,
  deleted_at timestamptz(3) not null default now(),
  primary key (organization_id, address_hash, contact_id),
  unique (organization_id, contact_id)
);
comment on column former_contacts.address_hash is
  'first 16 bytes of SHA-256(organization id, address), as in public links';
select protect_tenant_table('former_contacts');

create function remember_deleted_contacts() returns trigger
language plpgsql
as $$
begin
  insert into former_contacts (organization_id, address_hash, contact_id)
  select organization_id, substr(sha256(convert_to(organization_id::text || email, 'UTF8')), 1, 16), id
  from gone
  where email is not null
  on conflict do nothing;
  return null;
end
$$;
revoke all on function remember_deleted_contacts() from public;
create trigger remember_deleted_contacts after delete on contacts
referencing old table as gone
for each statement execute function remember_deleted_contacts();
