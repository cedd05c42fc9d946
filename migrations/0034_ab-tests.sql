-- A/B tests of batches: variants to a share of the audience, the better one to the rest.

alter table batches
  add column ab_test jsonb,
  add column ab_decide_at timestamptz(3),
  add column ab_winner smallint,
  add column ab_decision jsonb,
  add constraint batches_ab_test_check check (
    case when ab_test is null
      then num_nonnulls(ab_decide_at, ab_winner, ab_decision) = 0
      else not timezone_aware and num_nulls(ab_winner, ab_decision) in (0, 2)
    end);
comment on column batches.ab_test is 'what the caller asked for; a variant says what it says otherwise than the batch';
comment on column batches.ab_decide_at is
  'set when all of the share have been mailed; null: that is still to come, or a person decides';
comment on column batches.ab_winner is 'position of the variant that the rest gets';
comment on column batches.ab_decision is 'how the winner was found, and the figures of that moment';

alter table messages add column variant smallint;
comment on column messages.variant is
  'which of the batch''s variants it is; of the rest of the audience null until it is claimed';

alter table batch_parts add column is_test boolean not null default false;
comment on table batch_parts is
  'no personal data: organization_id batch_id from_row to_row send_at is_test';
comment on column batch_parts.is_test is 'the share that decides; the rest waits for it';

create table batch_variants (
  organization_id uuid not null,
  batch_id uuid not null,
  position smallint not null check (position between 0 and 4),
  content_id uuid not null,
  template_id uuid,
  subject text not null,
  preview_text text,
  from_name text,
  sent integer not null default 0 check (sent >= 0),
  delivered integer not null default 0,
  opened integer not null default 0,
  clicked integer not null default 0,
  bounced integer not null default 0,
  complained integer not null default 0,
  primary key (organization_id, batch_id, position),
  foreign key (organization_id, batch_id) references batches (organization_id, id)
    on delete cascade,
  foreign key (organization_id, content_id) references contents (organization_id, id)
) with (fillfactor = 50);
comment on table batch_variants is 'no personal data: organization_id batch_id position content_id '
  'template_id sent delivered opened clicked bounced complained';
select protect_tenant_table('batch_variants');
