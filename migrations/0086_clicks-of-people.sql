-- Clicks of people beside those of anything, as 0039 has it for opens. A click of a person says that
-- the mail was opened, too: human_opened_at may be there without opened_at.
alter table messages add column human_clicked_at timestamptz(3);
comment on column messages.human_clicked_at is
  'the first click by something that is not on the list of bots; clicked_at: by anything';
-- What was clicked before is taken for clicked by a person.
update messages set human_clicked_at = clicked_at where clicked_at is not null;

-- `opened_raw` is `opened` without the list of bots, so never less. The text that counts is 0048's.
do $do$
declare
  counting regprocedure;
  definition text;
  known constant text := 'filter (where opened_at is not null)';
begin
  foreach counting in array
    array['count_mails()', 'recount_mails(uuid, uuid, uuid, uuid, uuid)']::regprocedure[]
  loop
    definition := pg_get_functiondef(counting);
    if strpos(definition, known) = 0 then
      raise exception '% does not count opens as 0048 wrote it', counting;
    end if;
    execute replace(definition, known,
      'filter (where coalesce(opened_at, human_opened_at) is not null)');
  end loop;
end
$do$;

comment on column messages.human_opened_at is
  'the first open or click by something that is not on the list of bots; opened_at: by anything';
comment on column contact_stats.emails_opened is 'by people: see src/domain/delivery/engagement.ts';
comment on column contact_stats.emails_clicked is 'by people: see src/domain/delivery/engagement.ts';
