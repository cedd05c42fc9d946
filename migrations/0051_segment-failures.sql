-- What is known of segments that cannot be asked in time, or not at all.

alter table segments add column count_tried_at timestamptz(3);
comment on column segments.count_tried_at is
  'when its members were counted last, or that was tried: a count that takes too long is not tried again at once';
comment on table segments is 'no personal data: organization_id id member_count '
  'member_count_is_exact counted_at count_tried_at created_at updated_at';

-- A kept segment that fails is set aside, so that the others of its organization go on. It is asked
-- again later, of all contacts, because what was marked meanwhile is marked no more.
alter table kept_segments
  add column recorded_to uuid,
  add column failures integer not null default 0 check (failures >= 0),
  add column failure text check (failure in ('segment_not_usable', 'segment_too_slow')),
  add column set_aside_until timestamptz(3),
  add check ((failure is null) = (set_aside_until is null));
comment on column kept_segments.recorded_to is
  'up to this contact all had been looked at before the first scan began anew';
comment on column kept_segments.failures is 'since it was last asked of all contacts: each wait is longer';
comment on table kept_segments is 'no personal data: organization_id id segment_id asks_topics '
  'asks_stats event_names kept_since recorded_at recorded_to scan scan_after scan_cursor is_scanned '
  'failures failure set_aside_until dropped_at';
