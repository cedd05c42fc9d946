-- The ledger has text messages beside mails: one table, so that claims, doubt, erasure and logs are
-- written once. Whatever counts mails, or judges by them, leaves texts out: they have no proof by
-- silence, other rates, and figures of their own.
alter table messages
  add column channel text not null default 'email',
  add column parts smallint,
  add column cost_micros integer;
-- Columns with a constant default are added without reading the table; so is this.
alter table messages add constraint messages_channel_check
  check (channel in ('email', 'sms')) not valid;
comment on column messages.parts is 'of a text: how many parts the provider counted';
comment on column messages.cost_micros is
  'of a text: its price with the carrier''s fee, in millionths of a US dollar';

alter table claims add column channel text not null default 'email'
  check (channel in ('email', 'sms'));
comment on column claims.channel is 'of all of its messages';

-- Figures of mails are made by functions of the texts in 0009, which come to differ in one condition.
create function replace_in_function(wanted regprocedure, before text, after text) returns void
language plpgsql
as $$
declare
  definition constant text := pg_get_functiondef(wanted);
begin
  if position(before in definition) = 0 then
    raise exception '% does not say "%"', wanted, before;
  end if;
  execute replace(definition, before, after);
end
$$;
do $do$
declare
  mails constant text := ') kind
      where sent_at is not null';
  batch_mails constant text := 'where m.sent_at is not null and m.batch_id is not null';
  of_mail constant text := ' and channel = ''email''';
begin
  perform replace_in_function('count_mails()', mails, mails || of_mail);
  perform replace_in_function('recount_mails(uuid, uuid, uuid, uuid, uuid)', mails, mails || of_mail);
  perform replace_in_function('count_batch_mails()', batch_mails, batch_mails || of_mail);
  perform replace_in_function('recount_batch_mails(uuid, uuid, uuid)', batch_mails,
    batch_mails || of_mail);
end
$do$;
drop function replace_in_function(regprocedure, text, text);
