-- A test is decided by its share: mails to the rest of the audience are counted beside it.

alter table batch_variants
  add column rest_sent integer not null default 0,
  add column rest_delivered integer not null default 0,
  add column rest_opened integer not null default 0,
  add column rest_clicked integer not null default 0,
  add column rest_bounced integer not null default 0,
  add column rest_complained integer not null default 0;
comment on table batch_variants is 'no personal data: organization_id batch_id position content_id '
  'template_id sent delivered opened clicked bounced complained rest_sent rest_delivered '
  'rest_opened rest_clicked rest_bounced rest_complained';
comment on column batch_variants.sent is 'of the share that the variants are compared by, as the other figures';
comment on column batch_variants.rest_sent is 'of the rest of the audience, which got the winner';

-- Until now both were one figure.
update batch_variants v
set sent = v.sent - rest.sent, rest_sent = rest.sent,
  delivered = v.delivered - rest.delivered, rest_delivered = rest.delivered,
  opened = v.opened - rest.opened, rest_opened = rest.opened,
  clicked = v.clicked - rest.clicked, rest_clicked = rest.clicked,
  bounced = v.bounced - rest.bounced, rest_bounced = rest.bounced,
  complained = v.complained - rest.complained, rest_complained = rest.complained
from (
  select b.organization_id, b.id as batch_id, m.variant, count(*) filter (where m.state = 'sent')::int as sent,
    count(m.delivered_at)::int as delivered, count(m.human_opened_at)::int as opened,
    count(m.clicked_at)::int as clicked,
    count(*) filter (where m.bounced_at is not null and coalesce(m.bounce_sub_type, '')
      not in ('OnAccountSuppressionList', 'Suppressed'))::int as bounced,
    count(m.complained_at)::int as complained
  from batches b
  join batch_parts p on p.organization_id = b.organization_id and p.batch_id = b.id
    and not p.is_test
  join messages m on m.organization_id = b.organization_id and m.bucket = b.bucket
    and m.id >= (left(b.bucket::text, 28) || lpad(to_hex(p.from_row), 8, '0'))::uuid
    and m.id < (left(b.bucket::text, 28) || lpad(to_hex(p.to_row), 8, '0'))::uuid
  where b.ab_winner is not null and m.variant is not null
  group by b.organization_id, b.id, m.variant
) rest
where v.organization_id = rest.organization_id and v.batch_id = rest.batch_id
  and v.position = rest.variant and v.sent >= rest.sent;

-- Tests of batches that have nothing left to send, until their winner is named.
create index batches_undecided on batches (ab_decide_at)
  where status = 'completed' and ab_winner is null and ab_decide_at is not null;
