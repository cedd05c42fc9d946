-- An event that happened before an execution began ends no wait of it, nor the execution.

alter table executions add column occurred_at timestamptz(3);
comment on column executions.occurred_at is
  'when the event that started it happened, as its sender says; null: no event started it';
comment on column waits.since is
  'events received from then on count: since the execution last rested, or began';
