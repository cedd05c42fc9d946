-- Connections: every webhook secret of the last 24 hours, what a verification found, where SNS speaks.

-- A secret is the present one (valid_until is null) or was replaced and is good for another day: someone
-- who registers an account twice in an hour must not lose the events that still carry the first secret.
create table connection_secrets (
  organization_id uuid not null,
  connection_id uuid not null,
  hash bytea not null check (length(hash) = 32),
  valid_until timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, connection_id, hash),
  foreign key (organization_id, connection_id)
    references connections (organization_id, id) on delete cascade
);
comment on column connection_secrets.hash is 'SHA-256 of the secret, which is shown once and never stored';
create unique index connection_secrets_present on connection_secrets (organization_id, connection_id)
  where valid_until is null;
select protect_tenant_table('connection_secrets');

insert into connection_secrets (organization_id, connection_id, hash, valid_until)
select organization_id, id, secret_hash, null::timestamptz
from connections
where secret_hash is not null
union all
select organization_id, id, previous_secret_hash, previous_secret_until
from connections
where previous_secret_until > now() and previous_secret_hash <> secret_hash;

drop function webhook_proofs(text);
alter table connections
  drop column secret_hash,
  drop column previous_secret_hash,
  drop column previous_secret_until,
  add column sns_topic_arn text check (length(sns_topic_arn) <= 400),
  add column checks jsonb,
  add column check_begun_at timestamptz(3),
  add column checked_at timestamptz(3),
  add constraint connections_sns_topic_is_its_own check (sns_topic_arn is null
    or (split_part(sns_topic_arn, ':', 4) = region and split_part(sns_topic_arn, ':', 5) = account_id));
comment on column connections.sns_topic_arn is 'the only topic whose notifications are believed';
comment on column connections.checks is
  'what the last verification found, one entry a permission: [{name, ok, error?}]';
comment on column connections.check_begun_at is
  'when somebody began to verify: while it is later than checked_at, others wait for what he finds';
comment on column connections.checked_at is
  'when checks were found; last_verified_at moves only when they decided something';

grant select on connection_secrets to letterloom_crossing;
create function webhook_proofs(account text)
returns table (organization_id uuid, id uuid, account_id text, region text, secret_hash bytea,
  valid_until timestamptz(3))
language sql stable
begin atomic
  select c.organization_id, c.id, c.account_id, c.region, s.hash, s.valid_until
  from connections c
  join connection_secrets s on s.organization_id = c.organization_id and s.connection_id = c.id
  where c.account_id = account and c.disconnected_at is null
    and (s.valid_until is null or s.valid_until > now())
  order by c.id, s.hash;
end;
select make_crossing('webhook_proofs(text)');
