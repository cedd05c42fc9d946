-- One statement stores clicks of mails of many organizations and buckets: they are counted together.
-- A loop over them planned the whole count anew for each, at 400 organizations 400 times.
--
-- Places (0050) come after all mails of the statement in the order of locks.
do $do$
declare
  -- `$1` are the buckets: the partitions of their days are looked at, no others.
  clicks text := $sql$
    select m.organization_id,
      md5(concat_ws(' ', m.bucket, m.batch_id, named.template, md5(c.url)))::uuid, null::bigint,
      m.bucket, m.batch_id, named.template, md5(c.url)::uuid, c.url, sum(c.clicks)::integer,
      sum((now.clicks > 0)::integer - (now.clicks > c.clicks)::integer)::integer,
      min(c.first_clicked_at), max(c.last_clicked_at)
    from (
      select organization_id, bucket, log_id, data ->> 'link' as url, sum(sign) as clicks,
        min(occurred_at) as first_clicked_at, max(occurred_at) as last_clicked_at
      from (%s) e
      where kind = 'click'
        and data ->> 'link' !~ '(/|%%(25)*2[Ff])(unsubscribe|preferences|confirm|invitations)(/|%%(25)*2[Ff])[A-Za-z0-9_-]{40}'
      group by organization_id, bucket, log_id, data ->> 'link'
      having sum(sign) <> 0
    ) c
    cross join lateral (
      select count(*) as clicks
      from delivery_events e
      where e.organization_id = c.organization_id and e.bucket = c.bucket and e.bucket = any($1)
        and e.log_id = c.log_id and e.kind = 'click' and e.data ->> 'link' = c.url
    ) now
    cross join lateral (
      select *
      from messages
      where organization_id = c.organization_id and bucket = c.bucket and bucket = any($1)
        and id = c.log_id
      limit 1
    ) m
    left join batches b on b.organization_id = m.organization_id and b.id = m.batch_id
    cross join lateral (
      select coalesce(b.template_id, m.template_id, '00000000-0000-0000-0000-000000000000') as template
    ) named
    where m.batch_id is not null or m.template_id is not null
    group by m.organization_id, m.bucket, m.batch_id, named.template, c.url$sql$;
  add_clicks text :=
    'select add_link_clicks(array(select row(f.*)::link_clicks from (' || clicks || ') f))';
begin
  -- Planned anew each time, or the plan would take in every day's partition.
  execute format($sql$
    create or replace function count_clicks() returns trigger
    language plpgsql
    as $body$
    declare
      buckets uuid[];
    begin
      if tg_op = 'INSERT' then
        buckets := array(
          select distinct bucket from after where kind = 'click' and data ->> 'link' is not null
        );
        if buckets <> '{}' then
          execute %L using buckets;
        end if;
      elsif tg_op = 'DELETE' then
        buckets := array(
          select distinct bucket from before where kind = 'click' and data ->> 'link' is not null
        );
        if buckets <> '{}' then
          execute %L using buckets;
        end if;
      else
        buckets := array(
          select distinct bucket from before where kind = 'click' and data ->> 'link' is not null
        );
        if buckets <> '{}' then
          execute %L using buckets;
        end if;
      end if;
      return null;
    end
    $body$$sql$,
    format(add_clicks, 'select 1 as sign, * from after'),
    format(add_clicks, 'select -1 as sign, * from before'),
    format(add_clicks, 'select 1 as sign, * from after union all select -1, * from before'));
end
$do$;
