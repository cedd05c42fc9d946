-- Searching contacts by a part of their address or number.
--
-- Three letters in a row are looked up in an index of such threes; organization_id is part of it, so
-- that what a search costs depends on the size of one's own organization. Both extensions come with
-- Postgres and are trusted: the owner of a database may add them. Where they are not installed
-- contacts are searched without, row by row.
--
-- New rows wait in a list, which is merged when it is full and which every search reads: a short one
-- makes imports slower, a long one searches.
do $$
declare
  place text;
begin
  if (select count(*) from pg_available_extensions where name in ('pg_trgm', 'btree_gin')) < 2 then
    raise notice 'pg_trgm and btree_gin are not installed: contacts are searched without an index';
    return;
  end if;
  -- Out of the way of our own functions.
  create schema if not exists extensions;
  create extension if not exists pg_trgm schema extensions;
  create extension if not exists btree_gin schema extensions;
  select n.nspname into place
  from pg_extension e
  join pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'pg_trgm';
  execute format('create index contacts_search on contacts using gin
    (organization_id, (coalesce(email, '''') || '','' || coalesce(phone, '''')) %I.gin_trgm_ops)
    with (gin_pending_list_limit = 1024)', place);
exception
  when insufficient_privilege then
    raise notice 'extensions may not be made here: contacts are searched without an index';
end
$$;
