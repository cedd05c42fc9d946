-- A transient bounce of a mail that arrived is an automatic reply and no bounce: reports of batches do
-- not count it, and metrics count it as transient only. `bounced_arrived` says how many of the
-- transient ones those are. The texts of what counts are 0045's and 0048's. Figures of older mails are
-- corrected by `letterloom metrics rebuild`.
alter table mail_figures add column bounced_arrived integer not null default 0;
comment on table mail_figures is 'no personal data: organization_id key part quarter bucket '
  'source connection_id template_id domain batch_id sent delivered bounced_permanent '
  'bounced_transient bounced_undetermined complained suppressed opened opened_raw clicked '
  'unsubscribed failed bounced_arrived';
comment on column mail_figures.bounced_arrived is
  'of bounced_transient: the mail arrived all the same, so it is in no sum of bounces';
-- Each change alone makes no valid function; all of them do.
set local check_function_bodies = off;
do $do$
declare
  arrived constant text := $sql$bounce_type = 'Transient'
            and coalesce(delivered_at, opened_at, clicked_at, complained_at) is not null$sql$;
  change record;
  definition text;
begin
  for change in
    select *
    from (values
      ('add_mail_figures(mail_figures[])', 'failed = f.failed + target.failed',
        'failed = f.failed + target.failed,
      bounced_arrived = f.bounced_arrived + target.bounced_arrived'),
      ('add_mail_figures(mail_figures[])', 'opened, opened_raw, clicked, unsubscribed, failed',
        'opened, opened_raw, clicked, unsubscribed, failed, bounced_arrived'),
      ('count_mails()', 'sum(c.unsubscribed), sum(c.failed)
    from (', 'sum(c.unsubscribed), sum(c.failed), sum(c.arrived)
    from ('),
      ('recount_mails(uuid, uuid, uuid, uuid, uuid)', 'sum(c.unsubscribed), sum(c.failed)
    from (', 'sum(c.unsubscribed), sum(c.failed), sum(c.arrived)
    from ('),
      ('count_mails()', 'filter (where status = ''failed''), 0) as failed',
        'filter (where status = ''failed''), 0) as failed,
        coalesce(sum(sign) filter (where bounce = ''Transient'' and ' || arrived || '), 0) as arrived'),
      ('recount_mails(uuid, uuid, uuid, uuid, uuid)',
        'filter (where status = ''failed''), 0) as failed',
        'filter (where status = ''failed''), 0) as failed,
        coalesce(sum(sign) filter (where bounce = ''Transient'' and ' || arrived || '), 0) as arrived'),
      ('count_batch_mails()', '(bounced_at is not null)::integer as any_bounce',
        '(bounced_at is not null and (' || arrived || ') is not true)::integer as any_bounce'),
      ('recount_batch_mails(uuid, uuid, uuid)', '(bounced_at is not null)::integer as any_bounce',
        '(bounced_at is not null and (' || arrived || ') is not true)::integer as any_bounce'),
      ('count_batch_mails()', 'case when bounced_at is not null then',
        'case when any_bounce = 1 then'),
      ('recount_batch_mails(uuid, uuid, uuid)', 'case when bounced_at is not null then',
        'case when any_bounce = 1 then')
    ) as change (counting, known, wanted)
  loop
    definition := pg_get_functiondef(change.counting::regprocedure);
    if strpos(definition, change.known) = 0 then
      raise exception '% does not have: %', change.counting, change.known;
    end if;
    execute replace(definition, change.known, change.wanted);
  end loop;
end
$do$;
set local check_function_bodies = on;

with arrived as (
  update messages
  set status = case
    when clicked_at is not null then 'clicked'
    when opened_at is not null then 'opened'
    else 'delivered'
  end
  where status = 'bounced' and bounce_type = 'Transient'
    and coalesce(delivered_at, opened_at, clicked_at) is not null
  returning organization_id, batch_id
)
update batches b
set bounced = b.bounced - counted.mails
from (
  select organization_id, batch_id, count(*) as mails
  from arrived
  where batch_id is not null
  group by organization_id, batch_id
) counted
where b.organization_id = counted.organization_id and b.id = counted.batch_id;
