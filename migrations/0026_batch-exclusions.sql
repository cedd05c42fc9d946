-- Whom a batch leaves out: subscribers of topics and members of segments.

alter table batches
  add column excluded_topic_ids uuid[] not null default '{}'
    check (cardinality(excluded_topic_ids) <= 100),
  add column excluded_segment_ids uuid[] not null default '{}'
    check (cardinality(excluded_segment_ids) <= 20);
comment on column batches.excluded_topic_ids is
  'their subscribers at the time of freezing are left out; while the batch is live nobody can '
  'delete one';
comment on column batches.excluded_segment_ids is
  'the same for the members of segments';
