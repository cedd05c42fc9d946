-- Where mail names no configuration set, each identity's default set decides where its events go:
-- that others are heard of says nothing of a mail in doubt, unless one is of the same sender.

alter table connections add column configuration_set_since timestamptz(3);
update connections set configuration_set_since = now() where configuration_set is not null;
comment on column connections.configuration_set_since is
  'since when its mail has named the configuration set without a break; null: it goes without';

alter table probes add column from_address text;
comment on column probes.from_address is 'the sender of the mail in doubt that it asks about';
