-- After a restore nothing is sent until an operator has looked at what it may have forgotten.
alter table ledger_beats
  add column lost_since timestamptz(3),
  add column held_at timestamptz(3),
  add column marked_at timestamptz(3);
comment on column ledger_beats.lost_since is 'the last beat before that restore: what was committed later may be lost';
comment on column ledger_beats.held_at is 'since when nothing is sent; null: letterloom restore-check has ended it, or there was no restore';
comment on column ledger_beats.marked_at is 'when all that may have been mailed in the lost time was marked; null: not yet';
