-- Postgres may be restored from a backup. Then Temporal's copy of the newest beat is ahead of this one.

create table ledger_beats (
  ledger uuid primary key default gen_random_uuid(),
  beat bigint not null default 0 check (beat >= 0),
  beat_at timestamptz(3) not null default 'epoch',
  restored_at timestamptz(3)
);
-- One row: a second one is refused.
create unique index ledger_beats_one on ledger_beats ((true));
comment on table ledger_beats is 'whether Postgres was restored: workers count beats here and in Temporal';
comment on column ledger_beats.ledger is 'names this database and its backups: a new one is no restored one';
comment on column ledger_beats.restored_at is
  'when it was last noticed: events of mails that were claimed before it may have come and gone';
grant select, update on ledger_beats to letterloom_worker;
insert into ledger_beats default values;
