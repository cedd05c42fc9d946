-- Contacts, how they are searched, and their imports.

create table contacts (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  external_id text check (length(external_id) between 1 and 255),
  email text check (email = lower(trim(email)) and length(email) <= 255),
  phone text check (length(phone) <= 50),
  first_name text check (length(first_name) <= 100),
  last_name text check (length(last_name) <= 100),
  company text check (length(company) <= 200),
  job_title text check (length(job_title) <= 200),
  email_status text
    check (email_status in ('active', 'unsubscribed', 'bounced', 'complained', 'suppressed')),
  email_status_changed_at timestamptz(3) not null default now(),
  sms_status text check (sms_status in ('pending_consent', 'opted_in', 'opted_out', 'invalid')),
  preferred_channel text check (preferred_channel in ('email', 'sms')),
  properties jsonb not null default '{}',
  email_unsubscribed_at timestamptz(3),
  email_bounced_at timestamptz(3),
  email_complained_at timestamptz(3),
  email_suppressed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  email_verified_at timestamptz(3),
  email_opted_out_at timestamptz(3),
  resubscribed_at timestamptz(3),
  sms_consented_at timestamptz(3),
  sms_opted_out_at timestamptz(3),
  primary key (organization_id, id),
  unique (organization_id, external_id),
  unique (organization_id, email),
  unique (organization_id, phone),
  check (email is not null or phone is not null)
);

-- Contacts are searched by keys of our own instead of the threes of pg_trgm: each key is of one
-- organization, so that nothing else has to be compared to tell tenants apart; a key has every
-- letter, not those of words alone; and the newest hits can be asked for without the others. No
-- extension is needed.
--
-- Keys of a contact:
-- - one and two letters: how its address begins, its domain, its number without +; @ and + if it
--   has an address, a number
-- - three letters: every three in a row of its address and its number
-- - four letters and more: the spans of time in which its id was made, from fifty days to a quarter
--   of a second, each a sixteenth of the one before: that many letters of the id
create function contact_keys(organization_id uuid, id uuid, email text, phone text)
returns bigint[]
language plpgsql
immutable
parallel safe
as $$
declare
  seed constant bigint := uuid_hash_extended(organization_id, 0);
  made constant text := id;
  domain constant text := split_part(email, '@', 2);
  keys bigint[] := array[
    hashtextextended(left(made, 4), seed),
    hashtextextended(left(made, 5), seed),
    hashtextextended(left(made, 6), seed),
    hashtextextended(left(made, 7), seed),
    hashtextextended(left(made, 8), seed),
    hashtextextended(left(made, 10), seed),
    hashtextextended(left(made, 11), seed)
  ];
begin
  if email is not null then
    keys := keys || array[
      hashtextextended('@', seed),
      hashtextextended(left(email, 1), seed),
      hashtextextended(left(email, 2), seed),
      hashtextextended(left(domain, 1), seed),
      hashtextextended(left(domain, 2), seed)
    ];
    for at in 1 .. length(email) - 2 loop
      keys := array_append(keys, hashtextextended(substr(email, at, 3), seed));
    end loop;
  end if;
  if phone is not null then
    keys := keys || array[
      hashtextextended('+', seed),
      hashtextextended(substr(phone, 2, 1), seed),
      hashtextextended(substr(phone, 2, 2), seed)
    ];
    for at in 1 .. length(phone) - 2 loop
      keys := array_append(keys, hashtextextended(substr(phone, at, 3), seed));
    end loop;
  end if;
  return keys;
end
$$;

-- New rows wait in a list, which is merged when it is full and which every search reads: a short
-- one makes imports slower, a long one searches.
create index contacts_keys on contacts
  using gin (contact_keys(organization_id, id, email, phone))
  with (gin_pending_list_limit = 1024);
-- What is looked for is known too late for the planner: it would not use statistics.
alter index contacts_keys alter column 1 set statistics 0;
comment on column contacts.email_opted_out_at is
  'when the person last unsubscribed from all mail by a link of theirs: what they confirmed before '
  'that is void';
comment on column contacts.resubscribed_at is
  'when they last became active again: delivery events of an earlier time change nothing any more';
select protect_tenant_table('contacts');

-- Beside the contact, not in it: every mail and open would rewrite the contact and its indexes.
create table contact_stats (
  organization_id uuid not null,
  contact_id uuid not null,
  emails_sent integer not null default 0,
  emails_opened integer not null default 0,
  emails_clicked integer not null default 0,
  sms_sent integer not null default 0,
  sms_clicked integer not null default 0,
  last_email_sent_at timestamptz(3),
  last_email_opened_at timestamptz(3),
  last_email_clicked_at timestamptz(3),
  last_activity_at timestamptz(3),
  primary key (organization_id, contact_id),
  foreign key (organization_id, contact_id)
    references contacts (organization_id, id) on delete cascade
) with (fillfactor = 70);
select protect_tenant_table('contact_stats');

-- What an import received waits in pages until a workflow has written it.
create table imports (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  status text not null default 'receiving'
    check (status in ('receiving', 'pending', 'running', 'completed', 'failed', 'cancelled',
      'aborted')),
  attempt integer not null default 1,
  format text not null check (format in ('csv', 'ndjson')),
  on_duplicate text not null check (on_duplicate in ('update', 'skip')),
  dry_run boolean not null,
  may_lift boolean not null,
  has_topics boolean not null default false,
  rows integer not null default 0,
  pages integer not null default 0,
  next_page integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  email_status_kept integer not null default 0,
  error text,
  request_id text,
  received_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  check (next_page <= pages),
  check (created + updated + skipped + failed <= rows),
  check (status <> 'completed'
    or (next_page = pages and created + updated + skipped + failed = rows)),
  check ((finished_at is not null) = (status in ('completed', 'failed', 'cancelled', 'aborted')))
);
create index imports_open on imports (organization_id) where finished_at is null;
create index imports_finished on imports (finished_at) where finished_at is not null;
comment on column imports.attempt is
  'of the upload: one that took over from another has a higher number, and only its pages count';
comment on column imports.may_lift is
  'who asked may resubscribe people whose address is suppressed or who complained';
comment on column imports.next_page is 'the first page that was not written yet';
comment on column imports.received_at is 'when the last page came in';
select protect_tenant_table('imports');

-- Rows of personal data: a page is gone as soon as it was written.
create table import_chunks (
  organization_id uuid not null,
  import_id uuid not null,
  page integer not null,
  rows text not null,
  primary key (organization_id, import_id, page),
  foreign key (organization_id, import_id)
    references imports (organization_id, id) on delete cascade
);
-- Read once, a moment later: not worth compressing.
alter table import_chunks alter column rows set storage external;
select protect_tenant_table('import_chunks');

create table import_errors (
  organization_id uuid not null,
  import_id uuid not null,
  row integer not null,
  message text not null,
  record text not null,
  primary key (organization_id, import_id, row),
  foreign key (organization_id, import_id)
    references imports (organization_id, id) on delete cascade
);
comment on column import_errors.record is 'the fields of the row, as JSON';
select protect_tenant_table('import_errors');
