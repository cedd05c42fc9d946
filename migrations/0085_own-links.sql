-- Links to pages of ours are in no list of links, also as a parameter of a redirect's address and
-- those of invitations. The text of what counts is 0045's.
do $do$
declare
  counting regprocedure;
  definition text;
  known constant text := '/(unsubscribe|preferences|confirm)/[A-Za-z0-9_-]{40}';
  slash constant text := '(/|%(25)*2[Ff])';
begin
  foreach counting in array array['count_clicks()', 'recount_clicks(uuid, uuid)']::regprocedure[] loop
    definition := pg_get_functiondef(counting);
    if strpos(definition, known) = 0 then
      raise exception '% does not count clicks as 0045 wrote it', counting;
    end if;
    execute replace(definition, known,
      slash || '(unsubscribe|preferences|confirm|invitations)' || slash || '[A-Za-z0-9_-]{40}');
  end loop;
end
$do$;
