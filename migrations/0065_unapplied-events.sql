-- Delivery events that are not applied, counted for each connection and day. Up to a limit they are
-- kept in inbound_events; beyond it they are only counted, so that a caller who knows a webhook
-- secret cannot fill the disk.

create table unapplied_events (
  organization_id uuid not null,
  connection_id uuid not null,
  day date not null,
  kept_rows integer not null default 0 check (kept_rows >= 0),
  kept_bytes bigint not null default 0 check (kept_bytes >= 0),
  dropped jsonb not null default '{}',
  unread_dropped_at timestamptz(3),
  primary key (organization_id, connection_id, day)
) with (fillfactor = 50);
comment on column unapplied_events.dropped is 'how many events were counted only, by reason';
comment on column unapplied_events.unread_dropped_at is
  'when an event that could not be read was counted only: silence about a mail from before proves nothing';
comment on table unapplied_events is 'no personal data: organization_id connection_id day kept_rows '
  'kept_bytes dropped unread_dropped_at';
create index unapplied_events_day on unapplied_events (day);
select protect_tenant_table('unapplied_events');
create policy counting on unapplied_events to letterloom_definer using (true) with check (true);
grant select, insert, update on unapplied_events to letterloom_definer;

-- Finds room for events of several organizations; each was proved before. Returns the places in the
-- arrays (from 1) of those that may be kept, and counts the others. An event whose rows are there
-- already (`are_stored`) is always counted as kept.
create function take_room_for_events(organizations uuid[], connections uuid[], reasons text[],
  row_counts integer[], sizes bigint[], are_unread boolean[], are_stored boolean[],
  most_rows integer, most_bytes bigint)
returns setof bigint
language plpgsql
as $$
begin
  insert into unapplied_events (organization_id, connection_id, day)
  select distinct g.organization_id, g.connection_id, current_date
  from unnest(organizations, connections) as g (organization_id, connection_id)
  order by 1, 2
  on conflict do nothing;

  perform
  from unapplied_events u
  where u.day = current_date and (u.organization_id, u.connection_id) in (
    select g.organization_id, g.connection_id
    from unnest(organizations, connections) as g (organization_id, connection_id)
  )
  order by u.organization_id, u.connection_id
  for update;

  return query
  with given as (
    select *
    from unnest(organizations, connections, reasons, row_counts, sizes, are_unread, are_stored)
      with ordinality as g (organization_id, connection_id, reason, row_count, size, is_unread,
        is_stored, place)
  ), summed as (
    select g.*, u.kept_rows + sum(g.row_count) over earlier as rows_then,
      u.kept_bytes + sum(g.size) over earlier as bytes_then
    from given g
    join unapplied_events u on u.organization_id = g.organization_id
      and u.connection_id = g.connection_id and u.day = current_date
    window earlier as (partition by g.organization_id, g.connection_id
      order by g.is_stored desc, g.place)
  ), decided as materialized (
    select s.*, s.is_stored or (s.rows_then <= most_rows and s.bytes_then <= most_bytes) as is_kept
    from summed s
  ), sums as (
    select d.organization_id, d.connection_id,
      coalesce(sum(d.row_count) filter (where d.is_kept), 0) as added_rows,
      coalesce(sum(d.size) filter (where d.is_kept), 0) as added_bytes,
      bool_or(d.is_unread and not d.is_kept) as is_unread_dropped
    from decided d
    group by 1, 2
  ), counted as (
    update unapplied_events u
    set kept_rows = u.kept_rows + s.added_rows, kept_bytes = u.kept_bytes + s.added_bytes,
      unread_dropped_at = case when s.is_unread_dropped then clock_timestamp()
        else u.unread_dropped_at end,
      dropped = (
        select coalesce(jsonb_object_agg(both_counts.reason, both_counts.events), '{}')
        from (
          select each_count.reason, sum(each_count.events) as events
          from (
            select before.key as reason, before.value::bigint as events
            from jsonb_each_text(u.dropped) as before
            union all
            select d.reason, 1
            from decided d
            where d.organization_id = u.organization_id and d.connection_id = u.connection_id
              and not d.is_kept
          ) each_count
          group by each_count.reason
        ) both_counts
      )
    from sums s
    where u.organization_id = s.organization_id and u.connection_id = s.connection_id
      and u.day = current_date
  )
  select d.place
  from decided d
  where d.is_kept;
end
$$;
select make_security_definer('take_room_for_events(uuid[], uuid[], text[], integer[], bigint[], boolean[], boolean[], integer, bigint)');

-- Whether a connection has ever been found in order: one that never was has a limit of requests.
alter table connections add column first_verified_at timestamptz(3);
update connections set first_verified_at = coalesce(last_verified_at, now()) where is_verified;
comment on column connections.first_verified_at is 'null: it was never found in order';

create function was_ever_verified(connection uuid) returns boolean
language sql stable
begin atomic
  select c.is_verified or c.first_verified_at is not null
  from connections c
  where c.id = connection;
end;
select make_security_definer('was_ever_verified(uuid)');
