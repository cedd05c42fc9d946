-- Figures of a batch by domain are summed over the rows themselves. Only rows with an event are
-- looked at for bounces and hours: each of them was six rows of figures, and the results of a claim
-- have no events yet. One text says how mails of batches are counted; the trigger and the recount
-- are made of it. `%1$s` is a relation of rows of messages, each with a sign.
do $do$
declare
  figures text := $sql$
    select c.organization_id, md5(concat_ws(' ', c.batch_id, c.dimension, c.value))::uuid,
      null::bigint, c.batch_id, c.dimension, c.value, c.sent, c.delivered, c.opened,
      c.human_opened, c.clicked, c.unsubscribed, c.bounced, c.suppressed, c.complained
    from (
      select m.organization_id, m.batch_id, 'domain' as dimension,
        coalesce(left(lower(substring(recipient from '[^@]+$')), 255), '') as value,
        sum(sign)::integer as sent,
        coalesce(sum(sign) filter (where delivered_at is not null), 0)::integer as delivered,
        coalesce(sum(sign) filter (where opened_at is not null), 0)::integer as opened,
        coalesce(sum(sign) filter (where human_opened_at is not null), 0)::integer as human_opened,
        coalesce(sum(sign) filter (where clicked_at is not null), 0)::integer as clicked,
        coalesce(sum(sign) filter (where unsubscribed_at is not null), 0)::integer as unsubscribed,
        coalesce(sum(sign) filter (where is_bounce and not is_suppressed), 0)::integer as bounced,
        coalesce(sum(sign) filter (where is_bounce and is_suppressed), 0)::integer as suppressed,
        coalesce(sum(sign) filter (where complained_at is not null), 0)::integer as complained
      from (%1$s) m
      cross join lateral (%2$s) kind
      where m.sent_at is not null and m.batch_id is not null
      group by m.organization_id, m.batch_id, 4
      union all
      select m.organization_id, m.batch_id, d.dimension, d.value, 0, 0,
        sum(sign * d.opened)::integer, sum(sign * d.human_opened)::integer,
        sum(sign * d.clicked)::integer, sum(sign * d.unsubscribed)::integer,
        sum(sign * d.bounced)::integer, sum(sign * d.suppressed)::integer, 0
      from (%1$s) m
      cross join lateral (%2$s) kind
      cross join lateral (
        values
          ('bounce', case when is_bounce then
              coalesce(left(bounce_type, 100), 'Undetermined') || ' '
                || coalesce(left(bounce_sub_type, 100), '') end,
            0, 0, 0, 0, (not is_suppressed)::integer, is_suppressed::integer),
          ('hour', to_char(opened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00.000Z'),
            1, 0, 0, 0, 0, 0),
          ('hour', to_char(human_opened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00.000Z'),
            0, 1, 0, 0, 0, 0),
          ('hour', to_char(clicked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00.000Z'),
            0, 0, 1, 0, 0, 0),
          ('hour', to_char(unsubscribed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00.000Z'),
            0, 0, 0, 1, 0, 0)
      ) d (dimension, value, opened, human_opened, clicked, unsubscribed, bounced, suppressed)
      where m.sent_at is not null and m.batch_id is not null and d.value is not null
        and coalesce(bounced_at, opened_at, human_opened_at, clicked_at, unsubscribed_at) is not null
      group by m.organization_id, m.batch_id, d.dimension, d.value
    ) c
    where (c.sent, c.delivered, c.opened, c.human_opened, c.clicked, c.unsubscribed, c.bounced,
      c.suppressed, c.complained) <> (0, 0, 0, 0, 0, 0, 0, 0, 0)$sql$;
  kind text := $sql$
    select bounced_at is not null and (bounce_type = 'Transient'
          and coalesce(delivered_at, opened_at, clicked_at, complained_at) is not null) is not true as is_bounce,
        coalesce(bounce_sub_type in ('OnAccountSuppressionList', 'Suppressed'), false) as is_suppressed$sql$;
  add_figures text :=
    'perform add_batch_figures(array(select row(f.*)::batch_figures from (' || figures || ') f))';
begin
  execute format($sql$
    create or replace function count_batch_mails() returns trigger
    language plpgsql
    as $body$
    begin
      if tg_op = 'INSERT' then
        perform from after where sent_at is not null and batch_id is not null limit 1;
        if found then
          %s;
        end if;
      elsif tg_op = 'DELETE' then
        perform from before where sent_at is not null and batch_id is not null limit 1;
        if found then
          %s;
        end if;
      else
        perform from after where sent_at is not null and batch_id is not null
        union all
        select from before where sent_at is not null and batch_id is not null
        limit 1;
        if found then
          %s;
        end if;
      end if;
      return null;
    end
    $body$$sql$,
    format(add_figures, 'select 1 as sign, * from after', kind),
    format(add_figures, 'select -1 as sign, * from before', kind),
    format(add_figures, 'select 1 as sign, * from after union all select -1, * from before', kind));
  execute format($sql$
    create or replace function recount_batch_mails(wanted_organization uuid, from_bucket uuid,
      to_bucket uuid) returns setof batch_figures
    language sql stable
    as $body$%s$body$$sql$,
    format(figures, 'select 1 as sign, * from messages
        where organization_id = wanted_organization and bucket >= from_bucket
          and bucket < to_bucket', kind));
end
$do$;

-- A partition is analyzed after a freeze when it has grown by half since the last time, and at
-- first. Its pages tell at once; the statistics of rows come later. Each batch of a day analyzed
-- all rows of the day before.
create or replace function analyze_messages(day date) returns void
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  partition text := 'messages_' || to_char(day, 'YYYYMMDD');
begin
  if exists (
    select from pg_class
    where oid = partition::regclass
      and pg_relation_size(oid) > 1.5 * relpages * current_setting('block_size')::integer
  ) then
    execute format('analyze %I', partition);
  end if;
end
$$;
