-- What an account has sent in the last 24 hours, counted as permits are given: the provider's own
-- figure is read once an hour, and a mail that it refuses for its quota was a call for nothing.
create table sending_usage (
  account_id text not null,
  region text not null,
  period timestamptz(3) not null,
  mails integer not null,
  primary key (account_id, region, period),
  foreign key (account_id, region) references sending_limits (account_id, region) on delete cascade
) with (fillfactor = 50);
comment on table sending_usage is 'no personal data: account_id region period mails';
comment on column sending_usage.period is 'when its quarter of an hour began, in UTC';
comment on column sending_usage.mails is
  'permits given less those given back; below 0 where they were given in the period before';
create index sending_usage_age on sending_usage (period);
grant select, insert, update, delete on sending_usage to letterloom_worker;

alter table sending_limits
  add column others_24_hour double precision not null default 0 check (others_24_hour >= 0),
  add column quota_until timestamptz(3);
comment on table sending_limits is
  'no personal data: transactional_short_at confirmation_short_at workflow_short_at floor_at '
  'others_24_hour quota_until';
comment on column sending_limits.others_24_hour is
  'mails of the last 24 hours that the provider knew when it was last asked and we did not';
comment on column sending_limits.quota_until is
  'batches wait until then, because what is left of the 24-hour quota is for single mail';
