-- Where each recipient has a link of their own, clicks would be a row for each mail, for good. So a
-- place (a batch, or a day's single mail of a template) has rows of its own for as many links as it
-- meets first, and one for all others: its link is all zeros.
--
-- Once that row is there, no other link gets a row of its own, and the row stays. So a link is in
-- one place only, and a recount comes to the same.

create function most_links() returns integer language sql immutable as $$ select 1000 $$;
comment on function most_links() is 'links of a batch, or of a day''s single mail of a template';

create function other_links_key(bucket uuid, batch_id uuid, template_id uuid) returns uuid
language sql immutable
as $$ select md5(concat_ws(' ', bucket, batch_id, template_id, 'others'))::uuid $$;

drop index link_clicks_bucket;
create index link_clicks_place on link_clicks (organization_id, bucket, template_id, key);
comment on column link_clicks.link is
  'hash of the url, by which lists are ordered; all zeros: all links that have no row of their own';
comment on column link_clicks.url is 'empty: of all links that have no row of their own';
comment on column link_clicks.recipients is
  'mails in which it was clicked at least once; of several links the sum of theirs';

-- `add_link_clicks` becomes the second of two steps.
alter function add_link_clicks(link_clicks[]) rename to add_placed_clicks;

-- `%s` is a relation of clicks by link. One text says which have a row of their own, to what counts
-- and to the recount.
do $do$
declare
  placed text := $sql$
    with change as materialized (
      select c.*, other_links_key(c.bucket, c.batch_id, c.template_id) as others_key,
        exists (
          select from link_clicks f
          where f.organization_id = c.organization_id and f.key = c.key
        ) as has_row
      from (%s) c
    ), place as materialized (
      select new.*,
        (
          select count(distinct f.key)
          from link_clicks f
          where f.organization_id = new.organization_id and f.bucket = new.bucket
            and f.template_id = new.template_id
        ) as links
      from (
        select distinct organization_id, bucket, template_id, others_key
        from change
        where not has_row and clicks > 0
      ) new
      where not exists (
        select from link_clicks f
        where f.organization_id = new.organization_id and f.key = new.others_key
      )
    ), decided as (
      select change.*, has_row or coalesce(clicks > 0 and place.links + row_number() over (
          partition by change.others_key, has_row, clicks > 0 order by change.link
        ) <= most_links(), false) as is_own
      from change
      left join place using (organization_id, bucket, template_id, others_key)
    )
    select organization_id, case when is_own then key else others_key end, null::bigint, bucket,
      batch_id, template_id,
      case when is_own then link else '00000000-0000-0000-0000-000000000000' end,
      case when is_own then url else '' end, sum(clicks)::integer, sum(recipients)::integer,
      min(first_clicked_at), max(last_clicked_at)
    from decided
    group by 1, 2, 4, 5, 6, 7, 8$sql$;
begin
  -- Who may give a link a row of its own waits until others have who do. So do appliers of one batch
  -- until its links are known. A place comes after the mails of its bucket in the order of locks,
  -- and before those of the next.
  execute format($sql$
    create function add_link_clicks(changes link_clicks[]) returns void
    language plpgsql
    as $body$
    declare
      new_place record;
    begin
      for new_place in
        select distinct c.organization_id, c.bucket, c.template_id
        from unnest(changes) c
        where c.clicks > 0
          and not exists (
            select from link_clicks f
            where f.organization_id = c.organization_id and f.key = c.key
          )
          and not exists (
            select from link_clicks f
            where f.organization_id = c.organization_id
              and f.key = other_links_key(c.bucket, c.batch_id, c.template_id)
          )
        order by 1, 2, 3
      loop
        perform pg_advisory_xact_lock(hashtextextended(
          concat_ws(' ', 'link_clicks', new_place.organization_id, new_place.bucket,
          new_place.template_id), 0));
      end loop;
      perform add_placed_clicks(array(select row(f.*)::link_clicks from (%s) f));
    end
    $body$$sql$, format(placed, 'select * from unnest(changes)'));
  execute format($sql$
    create function recount_links(wanted_organization uuid, wanted_bucket uuid)
    returns setof link_clicks
    language sql stable
    as $body$%s$body$$sql$,
    format(placed, 'select * from recount_clicks(wanted_organization, wanted_bucket)'));
end
$do$;
comment on function recount_links(uuid, uuid) is
  'the clicks of one bucket''s mails in the rows in which they should be';

-- The row of other links stays when all its clicks went away: it says that no more links get rows.
create or replace function add_placed_clicks(changes link_clicks[]) returns void
language sql
as $$
  with target as materialized (
    select change.*, free.part as free_part,
      coalesce((free.clicks, free.recipients) = (-change.clicks, -change.recipients), false)
        and change.link <> '00000000-0000-0000-0000-000000000000' as is_nothing
    from unnest(changes) change
    left join lateral (
      select f.*
      from link_clicks f
      where f.organization_id = change.organization_id and f.key = change.key
      order by f.part
      limit 1
      for update skip locked
    ) free on true
  ), emptied as (
    delete from link_clicks f
    using target
    where f.organization_id = target.organization_id and f.key = target.key
      and f.part = target.free_part and target.is_nothing
  ), moved as (
    update link_clicks f
    set clicks = f.clicks + target.clicks,
      recipients = f.recipients + target.recipients,
      first_clicked_at = least(f.first_clicked_at, target.first_clicked_at),
      last_clicked_at = greatest(f.last_clicked_at, target.last_clicked_at)
    from target
    where f.organization_id = target.organization_id and f.key = target.key
      and f.part = target.free_part and not target.is_nothing
  )
  insert into link_clicks (organization_id, key, bucket, batch_id, template_id, link, url, clicks,
    recipients, first_clicked_at, last_clicked_at)
  select organization_id, key, bucket, batch_id, template_id, link, url, clicks, recipients,
    first_clicked_at, last_clicked_at
  from target
  where free_part is null
$$;

drop index link_clicks_left;
create index link_clicks_left on link_clicks (organization_id, key)
  where clicks <= 0 and link <> '00000000-0000-0000-0000-000000000000';

revoke all on function most_links(), other_links_key(uuid, uuid, uuid),
  add_link_clicks(link_clicks[]), add_placed_clicks(link_clicks[]), recount_links(uuid, uuid)
  from public;
grant execute on function most_links(), other_links_key(uuid, uuid, uuid),
  add_link_clicks(link_clicks[]), add_placed_clicks(link_clicks[])
  to letterloom_api, letterloom_worker;
grant execute on function recount_links(uuid, uuid) to letterloom_worker;
