-- Contacts opted out before there was a list of numbers. Workers read all contacts once, in pages, and
-- put the numbers of those that may not be texted on the list: its keys are made in Node.
create table phone_consent_backfill (
  is_only boolean primary key default true check (is_only),
  after_organization_id uuid,
  after_id uuid,
  done_at timestamptz(3)
);
comment on table phone_consent_backfill is
  'no personal data: is_only after_organization_id after_id done_at';
comment on column phone_consent_backfill.after_id is
  'the last contact that was read, with after_organization_id; null: none yet';
insert into phone_consent_backfill default values;
grant select, update on phone_consent_backfill to letterloom_worker;
