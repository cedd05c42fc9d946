-- What is known of phone numbers, whatever becomes of their contacts: who opted out of text messages
-- stays so when the contact is deleted and made again, or when another contact gets the number. It
-- is written under the lock of the address, like the list of suppressed email addresses.
create table phone_consents (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  key_id text not null,
  address_key bytea not null check (length(address_key) = 32),
  reason text check (reason in ('opted_out', 'invalid')),
  stopped_at timestamptz(3),
  started_at timestamptz(3),
  invalid_at timestamptz(3),
  source text not null check (source in ('link', 'event', 'api', 'import')),
  address text check (length(address) <= 50),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  unique (organization_id, address_key)
);
comment on table phone_consents is
  'no personal data: organization_id id key_id created_at updated_at';
comment on column phone_consents.key_id is 'id of the key that the HMAC key is derived from';
comment on column phone_consents.address_key is 'as in suppressions, of a number in E.164';
comment on column phone_consents.reason is
  'follows from the times (reasonOf in src/domain/consent/phone-consent.ts); null: may be texted';
comment on column phone_consents.stopped_at is 'the greatest time of an opt-out that is known';
comment on column phone_consents.started_at is
  'the greatest time at which the person, or a caller who vouches for them, opted in again';
comment on column phone_consents.invalid_at is
  'the greatest time at which the number was found not to exist';
comment on column phone_consents.address is 'null once it was erased: the entry holds without it';
select protect_tenant_table('phone_consents');

alter table consent_events drop constraint consent_events_kind_check;
alter table consent_events add constraint consent_events_kind_check
  check (kind in ('requested', 'subscribed', 'unsubscribed', 'expired', 'resubscribed', 'bounced',
    'suppressed', 'complained', 'sms_opted_in', 'sms_opted_out'))
  not valid;
alter table consent_events validate constraint consent_events_kind_check;
