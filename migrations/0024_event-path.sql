-- How delivery events come to us: the rate of their rule, the configuration set that makes them, and
-- what came and can never be applied.

alter table connections
  add column max_send_rate double precision check (max_send_rate > 0);
comment on column connections.max_send_rate is
  'mails a second, as the last verification was told; sending_limits has it for all who share the account';

-- What came with a right proof and is not for the applier: read and never to be applied (ignored), or
-- not to be read (error, as for what the applier sets aside). Only the second may be about a mail of ours.
alter table inbound_events add column ignored text;
comment on column inbound_events.ignored is 'why it can never be applied, though it was read; its body stays';
comment on column inbound_events.error is 'why it could not be read or applied; its body stays';
drop index inbound_events_aside;
create index inbound_events_aside on inbound_events (organization_id, position)
  where error is not null or ignored is not null;

drop function store_inbound_events(uuid[], uuid[], text[], text[]);
create function store_inbound_events(organizations uuid[], connections uuid[], envelopes text[], bodies text[],
  errors text[], ignorings text[])
returns table (connection_id uuid, envelope_id text)
language sql volatile
begin atomic
  insert into inbound_events (organization_id, connection_id, envelope_id, body, error, ignored, applied_at)
  select e.organization_id, e.connection_id, e.envelope_id, e.body::jsonb, e.error, e.ignored,
    case when e.error is not null or e.ignored is not null then clock_timestamp() end
  from unnest(organizations, connections, envelopes, bodies, errors, ignorings)
    as e (organization_id, connection_id, envelope_id, body, error, ignored)
  on conflict do nothing
  returning inbound_events.connection_id, inbound_events.envelope_id;
end;
select make_crossing('store_inbound_events(uuid[], uuid[], text[], text[], text[], text[])');

-- Named in every mail once a verification saw one accepted with it: no step of the customer's decides
-- whether events come.
alter table connections
  add column configuration_set text check (length(configuration_set) <= 64),
  add column configuration_set_tried_at timestamptz(3);
comment on column connections.configuration_set is
  'the configuration set that mail names; null: none was seen to be accepted, and mail goes without';
comment on column connections.configuration_set_tried_at is
  'when a verification last sent a mail with it, or SES last said that it does not exist';
