-- What is polled many times a second is found by its time, whatever waits for a later one.

-- Connections with due mail are found from the mail that is due: one look, not one for each
-- connection.
create index mail_queue_times on mail_queue (send_at, connection_id);
create index connections_probes on connections (id) where probes_wanted > 0;

-- Delivery events that are put off are not walked past.
drop index inbound_events_waiting;
create index inbound_events_waiting on inbound_events (position)
  where applied_at is null and look_at is null;
create index inbound_events_put_off on inbound_events (look_at)
  where applied_at is null and look_at is not null;

create index event_queue_polls_due on event_queue_polls (due_at);
