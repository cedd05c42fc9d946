-- Parts of words are looked for by pg_trgm instead of keys of our own, which made imports slower by
-- a quarter.

drop index contacts_keys;
drop function contact_keys(uuid, uuid, text, text);

-- It comes with Postgres, and who owns the database may create it. Where it is there already, it may
-- be in another schema.
do $$
declare
  place name;
begin
  if not exists (select from pg_available_extensions where name = 'pg_trgm') then
    raise exception using
      message = 'this Postgres has no pg_trgm, by which contacts are searched',
      hint = 'Install the contributed modules of Postgres (on many systems the package postgresql-contrib), then migrate again.';
  end if;
  create extension if not exists pg_trgm;
  select nspname into place
  from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
  where extname = 'pg_trgm';
  -- Threes are of all organizations, so that each row has its own as well. It is an array because
  -- GIN knows arrays, and because no other index serves a query that asks for it so.
  execute format(
    'create index contacts_parts on contacts
     using gin ((array[organization_id]), email %1$I.gin_trgm_ops, phone %1$I.gin_trgm_ops)',
    place);
exception when insufficient_privilege then
  raise exception using
    message = 'the role that migrates may not create the extension pg_trgm',
    hint = 'Let a superuser run "create extension pg_trgm" in this database, or make the role its owner.';
end
$$;
