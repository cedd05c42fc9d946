-- An erasure finds every address and number that a contact had here, not the present ones only.

create function address_hash(organization_id uuid, address text) returns bytea
language sql
immutable
strict
parallel safe
as $$
  select substr(sha256(convert_to(organization_id::text || address, 'UTF8')), 1, 16)
$$;
comment on function address_hash(uuid, text) is
  'first 16 bytes of SHA-256(organization id, address), as in public links';

-- No foreign key: deleting a contact leaves its logs, which name it by its id alone. Importing the
-- same person again makes another id: so that an erasure finds the earlier ones too, their
-- addresses are remembered.
create table former_addresses (
  organization_id uuid not null,
  contact_id uuid not null,
  address_hash bytea not null check (length(address_hash) = 16),
  kind text not null check (kind in ('email', 'phone')),
  left_at timestamptz(3) not null default now(),
  is_last boolean not null default false,
  contact_deleted_at timestamptz(3),
  primary key (organization_id, contact_id, address_hash),
  check (contact_deleted_at is not null or not is_last)
);
comment on column former_addresses.address_hash is 'of an address or a number that the contact had';
comment on column former_addresses.left_at is
  'whoever had the address later is another person';
comment on column former_addresses.is_last is 'the contact had it when it was deleted';
comment on column former_addresses.contact_deleted_at is 'null: the contact is there';
-- Contacts are found by it that were deleted before.
create index former_addresses_hash on former_addresses (organization_id, address_hash)
  where kind = 'email' and contact_deleted_at is not null;
create index former_addresses_age on former_addresses (contact_deleted_at)
  where contact_deleted_at is not null;

-- An owner that is no superuser sees no row of a protected table.
alter table former_contacts no force row level security;
insert into former_addresses (organization_id, contact_id, address_hash, kind, left_at,
  is_last, contact_deleted_at)
select organization_id, contact_id, address_hash, 'email', deleted_at, true, deleted_at
from former_contacts;
select protect_tenant_table('former_addresses');

create function remember_changed_address() returns trigger
language plpgsql
as $$
begin
  insert into former_addresses (organization_id, contact_id, address_hash, kind)
  select old.organization_id, old.id, address_hash(old.organization_id, former.address), former.kind
  from (values ('email', old.email, new.email), ('phone', old.phone, new.phone))
    as former (kind, address, present)
  where former.address is distinct from former.present and former.address is not null
  on conflict (organization_id, contact_id, address_hash) do update
  set left_at = excluded.left_at;
  return null;
end
$$;
revoke all on function remember_changed_address() from public;
create trigger remember_changed_address after update on contacts
for each row
when (old.email is distinct from new.email or old.phone is distinct from new.phone)
execute function remember_changed_address();

create or replace function remember_deleted_contacts() returns trigger
language plpgsql
as $$
begin
  update former_addresses f
  set contact_deleted_at = now()
  from gone
  where f.organization_id = gone.organization_id and f.contact_id = gone.id;
  insert into former_addresses as f (organization_id, contact_id, address_hash, kind, is_last,
    contact_deleted_at)
  select gone.organization_id, gone.id, address_hash(gone.organization_id, last.address), last.kind,
    true, now()
  from gone
  cross join lateral (values ('email', gone.email), ('phone', gone.phone)) as last (kind, address)
  where last.address is not null
  on conflict (organization_id, contact_id, address_hash) do update
  set is_last = true, left_at = excluded.left_at;
  return null;
end
$$;

drop table former_contacts;

-- Mail that names no contact is found by the same hash.
create index messages_unnamed on messages (organization_id, address_hash(organization_id, recipient))
  where contact_id is null and recipient is not null;
