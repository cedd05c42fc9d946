-- A mail of an A/B test is of its variant's template, which may be another than the batch's: in
-- figures, and in the log. What was counted before is corrected by `letterloom metrics rebuild`.

-- As in 0039, one text says how mails are counted; the trigger and the recount are made of it. `%s`
-- is a relation of rows of messages, each with a sign.
do $do$
declare
  counted text := $sql$
    select c.organization_id,
      md5(concat_ws(' ', extract(epoch from c.quarter), c.bucket, c.source, c.connection_id,
        named.template, named.domain))::uuid,
      null::bigint, c.quarter, c.bucket, c.source, c.connection_id, named.template, named.domain,
      c.batch_id, sum(c.sent), sum(c.delivered), sum(c.permanent), sum(c.transient),
      sum(c.undetermined), sum(c.complained), sum(c.suppressed), sum(c.opened), sum(c.opened_raw),
      sum(c.clicked), sum(c.unsubscribed), sum(c.failed)
    from (
      select organization_id, date_bin('15 minutes', sent_at, 'epoch') as quarter, bucket, source,
        connection_id, template_id, from_domain, batch_id, variant, sum(sign) as sent,
        coalesce(sum(sign) filter (where delivered_at is not null), 0) as delivered,
        coalesce(sum(sign) filter (where bounce = 'Permanent'), 0) as permanent,
        coalesce(sum(sign) filter (where bounce = 'Transient'), 0) as transient,
        coalesce(sum(sign) filter (where bounce = 'Undetermined'), 0) as undetermined,
        coalesce(sum(sign) filter (where complained_at is not null), 0) as complained,
        coalesce(sum(sign) filter (where bounce = 'Suppressed'), 0) as suppressed,
        coalesce(sum(sign) filter (where human_opened_at is not null), 0) as opened,
        coalesce(sum(sign) filter (where opened_at is not null), 0) as opened_raw,
        coalesce(sum(sign) filter (where clicked_at is not null), 0) as clicked,
        coalesce(sum(sign) filter (where unsubscribed_at is not null), 0) as unsubscribed,
        coalesce(sum(sign) filter (where status = 'failed'), 0) as failed
      from (%s) m
      cross join lateral (
        select case
          when bounced_at is null then null
          when bounce_sub_type in ('OnAccountSuppressionList', 'Suppressed') then 'Suppressed'
          when bounce_type in ('Permanent', 'Transient') then bounce_type
          else 'Undetermined'
        end as bounce
      ) kind
      where sent_at is not null
      group by organization_id, 2, bucket, source, connection_id, template_id, from_domain,
        batch_id, variant
    ) c
    left join batches b on b.organization_id = c.organization_id and b.id = c.batch_id
    left join batch_variants v on v.organization_id = c.organization_id
      and v.batch_id = c.batch_id and v.position = c.variant
    cross join lateral (
      select coalesce(v.template_id, b.template_id, c.template_id,
          '00000000-0000-0000-0000-000000000000') as template,
        coalesce(lower(substring(b.from_address from '[^@]+$')), c.from_domain, '') as domain
    ) named
    -- Variants with one template are one figure: each key is there once.
    group by c.organization_id, c.quarter, c.bucket, c.source, c.connection_id, named.template,
      named.domain, c.batch_id
    having (sum(c.sent), sum(c.delivered), sum(c.permanent), sum(c.transient), sum(c.undetermined),
      sum(c.complained), sum(c.suppressed), sum(c.opened), sum(c.opened_raw), sum(c.clicked),
      sum(c.unsubscribed), sum(c.failed))
      is distinct from (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)$sql$;
  add text := 'perform add_mail_figures(array(select row(f.*)::mail_figures from (' || counted || ') f))';
begin
  execute format($sql$
    create or replace function count_mails() returns trigger
    language plpgsql
    as $body$
    begin
      if tg_op = 'INSERT' then
        perform from after where sent_at is not null limit 1;
        if found then
          %s;
        end if;
      elsif tg_op = 'DELETE' then
        %s;
      else
        -- Claims and what else happens before a mail is sent end here.
        perform from after where sent_at is not null
        union all
        select from before where sent_at is not null
        limit 1;
        if found then
          %s;
        end if;
      end if;
      return null;
    end
    $body$$sql$,
    format(add, 'select 1 as sign, * from after'),
    format(add, 'select -1 as sign, * from before'),
    format(add, 'select 1 as sign, * from after union all select -1, * from before'));
  execute format($sql$
    create or replace function recount_mails(wanted_organization uuid, from_bucket uuid, to_bucket uuid,
      after_id uuid, upto_id uuid) returns setof mail_figures
    language sql stable
    as $body$%s$body$$sql$,
    format(counted, 'select 1 as sign, * from messages
        where organization_id = wanted_organization and bucket >= from_bucket
          and bucket < to_bucket and id > after_id and id <= upto_id'));
end
$do$;

-- Batches whose test has a template, for the log's filter.
create index batch_variants_template on batch_variants (organization_id, template_id)
  where template_id is not null;

-- Few mails fail or are not sent, and only those are moved to new places by it: a mail that is
-- claimed, sent and delivered changes no indexed column, and stays where it is.
alter table messages add column is_refused boolean generated always as (
  nullif(status in ('failed', 'suppressed', 'opted_out'), false)
) stored;
comment on column messages.is_refused is
  'by us, or by the provider; null: it is not, so that their index has nothing else';
create index messages_refused on messages (organization_id, id) where is_refused;
