-- Mail of a lower lane gives way to what a higher one asked for and did not get.
alter table sending_limits
  add column transactional_short_at timestamptz(3),
  add column confirmation_short_at timestamptz(3),
  add column workflow_short_at timestamptz(3),
  add column floor_at timestamptz(3) not null default now();
comment on table sending_limits is
  'no personal data: transactional_short_at confirmation_short_at workflow_short_at floor_at';
comment on column sending_limits.transactional_short_at is
  'when transactional mail last got fewer permits than it asked for';
comment on column sending_limits.confirmation_short_at is 'the same of confirmations';
comment on column sending_limits.workflow_short_at is 'the same of mail of flows';
comment on column sending_limits.floor_at is
  'when batches last got permits: while they give way, a share of the rate gathers since then';
