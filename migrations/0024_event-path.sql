-- How delivery events come to us: the rate of their rule, the configuration set that makes them, and
-- what came and can never be applied.

alter table connections
  add column max_send_rate double precision check (max_send_rate > 0);
comment on column connections.max_send_rate is
  'mails a second, as the last verification was told; sending_limits has it for all who share the account';
