-- Automations that feed each other are stopped: of starts by segments and topics so many are dropped.

alter table flow_entries add column braked_until timestamptz(3);
comment on column flow_entries.braked_until is
  'segments and topics start nothing for the contact until then; null: they never had to be stopped';
