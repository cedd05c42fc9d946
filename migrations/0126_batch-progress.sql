-- How fast a batch is sent: what `sent` was at some moments of the last minutes, ten seconds apart.
alter table batches
  add column rate_times timestamptz(3)[] not null default '{}',
  add column rate_counts integer[] not null default '{}',
  add check (cardinality(rate_times) = cardinality(rate_counts) and cardinality(rate_times) <= 8);
comment on table batches is 'no personal data: rate_times rate_counts';
comment on column batches.rate_times is
  'the last moments, ten seconds apart, at which something was sent; oldest first';
comment on column batches.rate_counts is 'what `sent` was just before each of them';

-- A trigger, so that it is one rule for all statements that count a sent mail. Most of them change
-- no more than the counter.
create function note_batch_rate() returns trigger
language plpgsql
as $$
declare
  marks constant integer := cardinality(old.rate_times);
begin
  if marks = 0 or old.rate_times[marks] <= clock_timestamp() - interval '10 seconds' then
    new.rate_times := (old.rate_times || clock_timestamp()::timestamptz(3))[greatest(1, marks - 6):];
    new.rate_counts := (old.rate_counts || old.sent)[greatest(1, marks - 6):];
  end if;
  return new;
end
$$;
revoke all on function note_batch_rate() from public;
create trigger note_batch_rate before update of sent on batches
  for each row when (new.sent > old.sent) execute function note_batch_rate();

-- What the account of a connection allows at the moment, and how many batches share that: accounts
-- are shared by organizations, so their limits are no tenant's rows.
create function account_pace(wanted_organization uuid, wanted_connection uuid)
returns table (per_second double precision, is_throttled boolean, paused_until timestamptz(3),
  paused_reason text, batches integer)
language sql stable
begin atomic
  select l.max_send_rate * l.factor, l.factor < 0.99, l.paused_until, l.paused_reason,
    (
      select count(*)::integer
      from connections other
      join batches b on b.organization_id = other.organization_id and b.connection_id = other.id
        and b.status = 'processing' and b.paused_reason is null
      where other.account_id = l.account_id and other.region = l.region
        and other.disconnected_at is null
    )
  from connections c
  join sending_limits l on l.account_id = c.account_id and l.region = c.region
  where c.organization_id = wanted_organization and c.id = wanted_connection;
end;
grant select on sending_limits, batches to letterloom_definer;
select make_security_definer('account_pace(uuid, uuid)');
