-- A moment of a flow's schedule that starts executions is a row that its run carries on: it is found
-- again when the run is lost, and the flow says so when an operator has stopped it.

alter table flows
  add column firing_for timestamptz(3),
  add column firing_after uuid,
  add check (firing_after is null or firing_for is not null);
comment on column flows.firing_for is 'the moment of its schedule that is starting executions; null: none';
comment on column flows.firing_after is 'the last contact for whom that is done; null: none yet';
create index flows_firing on flows (id) where firing_for is not null;

alter table flows drop constraint flows_schedule_failure_check;
alter table flows add constraint flows_schedule_failure_check check (schedule_failure in
  ('segment_not_usable', 'segment_too_slow', 'stopped_by_operator'));
