-- Functions in SQL are parsed and planned at each call, which took half of what the results of a
-- small claim cost; those in plpgsql are once in a session. Their plan does not depend on how many
-- changes there are: each looks for its row by its key.
create or replace function add_batch_figures(changes batch_figures[])
  returns void
  language plpgsql
  set plan_cache_mode = 'force_generic_plan'
as $function$
begin
  with target as materialized (
    select change.*, free.part as free_part, coalesce((free.sent, free.delivered, free.opened,
        free.human_opened, free.clicked, free.unsubscribed, free.bounced, free.suppressed,
        free.complained) = (-change.sent, -change.delivered, -change.opened, -change.human_opened,
        -change.clicked, -change.unsubscribed, -change.bounced, -change.suppressed,
        -change.complained), false) as is_nothing
    from unnest(changes) change
    left join lateral (
      select f.*
      from batch_figures f
      where f.organization_id = change.organization_id and f.key = change.key
      order by f.part
      limit 1
      for update skip locked
    ) free on true
  ), emptied as (
    delete from batch_figures f
    using target
    where f.organization_id = target.organization_id and f.key = target.key
      and f.part = target.free_part and target.is_nothing
  ), moved as (
    update batch_figures f
    set sent = f.sent + target.sent,
      delivered = f.delivered + target.delivered,
      opened = f.opened + target.opened,
      human_opened = f.human_opened + target.human_opened,
      clicked = f.clicked + target.clicked,
      unsubscribed = f.unsubscribed + target.unsubscribed,
      bounced = f.bounced + target.bounced,
      suppressed = f.suppressed + target.suppressed,
      complained = f.complained + target.complained
    from target
    where f.organization_id = target.organization_id and f.key = target.key
      and f.part = target.free_part and not target.is_nothing
  )
  insert into batch_figures (organization_id, key, batch_id, dimension, value, sent, delivered,
    opened, human_opened, clicked, unsubscribed, bounced, suppressed, complained)
  select organization_id, key, batch_id, dimension, value, sent, delivered, opened, human_opened,
    clicked, unsubscribed, bounced, suppressed, complained
  from target
  where free_part is null;
end
$function$;

create or replace function add_mail_figures(changes mail_figures[])
  returns void
  language plpgsql
  set plan_cache_mode = 'force_generic_plan'
as $function$
begin
  with target as materialized (
    select change.*, free.part as free_part
    from unnest(changes) change
    left join lateral (
      select f.part
      from mail_figures f
      where f.organization_id = change.organization_id and f.key = change.key
      order by f.part
      limit 1
      for update skip locked
    ) free on true
  ), moved as (
    update mail_figures f
    set sent = f.sent + target.sent,
      delivered = f.delivered + target.delivered,
      bounced_permanent = f.bounced_permanent + target.bounced_permanent,
      bounced_transient = f.bounced_transient + target.bounced_transient,
      bounced_undetermined = f.bounced_undetermined + target.bounced_undetermined,
      complained = f.complained + target.complained,
      suppressed = f.suppressed + target.suppressed,
      opened = f.opened + target.opened,
      opened_raw = f.opened_raw + target.opened_raw,
      clicked = f.clicked + target.clicked,
      unsubscribed = f.unsubscribed + target.unsubscribed,
      failed = f.failed + target.failed,
      bounced_arrived = f.bounced_arrived + target.bounced_arrived
    from target
    where f.organization_id = target.organization_id and f.key = target.key
      and f.part = target.free_part
  )
  insert into mail_figures (organization_id, key, quarter, bucket, source, connection_id,
    template_id, domain, batch_id, sent, delivered, bounced_permanent, bounced_transient,
    bounced_undetermined, complained, suppressed, opened, opened_raw, clicked, unsubscribed, failed, bounced_arrived)
  select organization_id, key, quarter, bucket, source, connection_id, template_id, domain,
    batch_id, sent, delivered, bounced_permanent, bounced_transient, bounced_undetermined,
    complained, suppressed, opened, opened_raw, clicked, unsubscribed, failed, bounced_arrived
  from target
  where free_part is null;
end
$function$;

create or replace function add_placed_clicks(changes link_clicks[])
  returns void
  language plpgsql
  set plan_cache_mode = 'force_generic_plan'
as $function$
begin
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
  where free_part is null;
end
$function$;

create or replace function add_stored_bytes(changes stored_bytes[])
  returns void
  language plpgsql
  set plan_cache_mode = 'force_generic_plan'
as $function$
begin
  with target as materialized (
    select change.organization_id, change.bytes, free.part as free_part
    from unnest(changes) change
    left join lateral (
      select s.part
      from stored_bytes s
      where s.organization_id = change.organization_id
      order by s.part
      limit 1
      for update skip locked
    ) free on true
  ), moved as (
    update stored_bytes s
    set bytes = s.bytes + target.bytes
    from target
    where s.organization_id = target.organization_id and s.part = target.free_part
  )
  insert into stored_bytes (organization_id, bytes)
  select organization_id, bytes
  from target
  where free_part is null;
end
$function$;
