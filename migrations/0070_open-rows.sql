-- Rows whose work a run of Temporal's carries on are found while they are open, so that a run that
-- was lost is started again.

create index erasures_running on erasures (id) where status = 'running';
create index imports_carried on imports (id) where status in ('pending', 'running');
create index notice_mails_open on notice_mails (notice_id) where state in ('queued', 'claimed');
create index connections_unchecked on connections (id)
  where checked_at is null and disconnected_at is null;

-- When a confirmation that is awaited is to be mailed, reminded of or given up. In UTC, since only
-- so the sum depends on nothing but the row.
create index subscriptions_due on subscriptions (
    ((requested_at at time zone 'UTC') + case mails
      when 0 then interval '0'
      when 1 then interval '72 hours'
      else interval '720 hours'
    end),
    contact_id,
    topic_id
  )
  where status = 'pending';
