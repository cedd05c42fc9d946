-- Imports of contacts: what was received waits here in pages until a workflow has written it.

create table imports (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  status text not null default 'receiving'
    check (status in ('receiving', 'pending', 'running', 'completed', 'failed', 'cancelled', 'aborted')),
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
  check (status <> 'completed' or (next_page = pages and created + updated + skipped + failed = rows)),
  check ((finished_at is not null) = (status in ('completed', 'failed', 'cancelled', 'aborted')))
);
create index imports_open on imports (organization_id) where finished_at is null;
create index imports_finished on imports (finished_at) where finished_at is not null;
comment on column imports.attempt is
  'of the upload: one that took over from another has a higher number, and only its pages count';
comment on column imports.may_lift is
  'who asked may take back people whose address is suppressed or who complained';
comment on column imports.received_at is 'when the last page came in';
comment on column imports.next_page is 'the first page that was not written yet';

-- Rows of personal data: a page is gone as soon as it was written.
create table import_chunks (
  organization_id uuid not null,
  import_id uuid not null,
  page integer not null,
  rows text not null,
  primary key (organization_id, import_id, page),
  foreign key (organization_id, import_id) references imports (organization_id, id) on delete cascade
);
-- Read once, a moment later: not worth compressing.
alter table import_chunks alter column rows set storage external;

create table import_errors (
  organization_id uuid not null,
  import_id uuid not null,
  row integer not null,
  message text not null,
  record text not null,
  primary key (organization_id, import_id, row),
  foreign key (organization_id, import_id) references imports (organization_id, id) on delete cascade
);
comment on column import_errors.record is 'the fields of the row, as JSON';

select protect_tenant_table(name)
from unnest(array['imports', 'import_chunks', 'import_errors']::regclass[]) as name;

grant select on imports to letterloom_crossing;
create or replace function owner_of(kind text, wanted uuid) returns uuid
language sql stable
return case kind
  when 'api_key' then (select organization_id from api_keys where id = wanted)
  when 'batch' then (select organization_id from batches where id = wanted)
  when 'connection' then (select organization_id from connections where id = wanted)
  when 'contact' then (select organization_id from contacts where id = wanted)
  when 'import' then (select organization_id from imports where id = wanted)
  when 'template' then (select organization_id from templates where id = wanted)
  when 'topic' then (select organization_id from topics where id = wanted)
end;
select make_crossing('owner_of(text, uuid)');
