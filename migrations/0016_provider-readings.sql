-- What accounts answered when somebody asked live: kept for a minute, because nothing that a provider answers
-- may enter a Temporal history. Never shared between connections: anybody may register a stranger's number.
create table provider_readings (
  organization_id uuid not null,
  connection_id uuid not null,
  what text not null check (length(what) between 1 and 80),
  subject text check (length(subject) between 1 and 253),
  asking_until timestamptz(3),
  begun_at timestamptz(3),
  outcome text check (outcome in ('read', 'missing', 'denied', 'throttled', 'failed')),
  answered_at timestamptz(3),
  version uuid,
  read_at timestamptz(3),
  touched_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, connection_id, what),
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade,
  check ((outcome is null) = (answered_at is null)),
  check ((version is null) = (read_at is null))
);
create index provider_readings_asking on provider_readings (organization_id, asking_until)
  where asking_until is not null;
create index provider_readings_age on provider_readings (touched_at);
comment on column provider_readings.what is '`identities`, or `identity/` and a hash of the name; also the end of the workflow''s id';
comment on column provider_readings.subject is 'what is asked for by name: it stays out of ids, inputs and histories';
comment on column provider_readings.asking_until is 'somebody asks until then; null: nobody does';
comment on column provider_readings.begun_at is 'when a worker took the question up; null: none has yet';
comment on column provider_readings.outcome is 'how the latest question ended; null: it has not';
comment on column provider_readings.version is 'of the pages that are complete';
select protect_tenant_table('provider_readings');

create table provider_reading_pages (
  organization_id uuid not null,
  connection_id uuid not null,
  what text not null,
  version uuid not null,
  page integer not null check (page >= 0),
  body jsonb not null,
  primary key (organization_id, connection_id, what, version, page),
  foreign key (organization_id, connection_id, what)
    references provider_readings (organization_id, connection_id, what) on delete cascade
);
comment on column provider_reading_pages.body is 'identities of a customer''s account; some are addresses';
select protect_tenant_table('provider_reading_pages');

-- Which version of the console policy an account's role carries, as it was found last.
create table console_policies (
  organization_id uuid not null,
  connection_id uuid not null,
  version integer check (version > 0),
  checked_at timestamptz(3),
  probed_at timestamptz(3),
  primary key (organization_id, connection_id),
  foreign key (organization_id, connection_id) references connections (organization_id, id) on delete cascade,
  check (version is null or checked_at is not null)
);
comment on column console_policies.version is 'null: never read, or the role has no policy that says one';
comment on column console_policies.checked_at is 'of the last probe that found out';
comment on column console_policies.probed_at is 'when the last probe began, whatever came of it: the next waits a minute';
select protect_tenant_table('console_policies');
