-- Why a moment of a flow's schedule started nobody, or not everybody: until one succeeds.
alter table flows
  add column schedule_failed_for timestamptz(3),
  add column schedule_failure text
    check (schedule_failure in ('segment_not_usable', 'segment_too_slow')),
  add check ((schedule_failed_for is null) = (schedule_failure is null));
comment on column flows.schedule_failed_for is
  'the latest moment of its schedule whose segment could not be evaluated; null: none since one succeeded';
