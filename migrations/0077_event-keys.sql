-- Two events with the same id and different names, or of different contacts, are two events.

alter table event_ids
  add column name text not null default '' check (length(name) <= 255),
  add column contact_id uuid not null default '00000000-0000-0000-0000-000000000000',
  drop constraint event_ids_pkey,
  add primary key (organization_id, event_id, name, contact_id);
comment on column event_ids.name is
  'of the event; empty: the id is from before names counted, and stands for every event';
