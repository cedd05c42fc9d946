-- A resource is what has an address of its own in the API. `owner_of` tells whose one is, which is
-- 403 or 404, and was written anew whenever a resource came. Now it is made of this list.
create table resources (
  kind text primary key check (kind ~ '^[a-z_]+$'),
  source regclass not null unique
);
comment on table resources is 'no personal data: kind source';
comment on column resources.kind is 'what the API asks owner_of for';

-- For a table whose rows have an address of their own in the API, and a `unique (id)`. Call it in
-- the migration that makes the table. `owner_of` stays plain SQL: nothing is put together when it
-- runs.
create function make_resource(wanted regclass, called text) returns void
language plpgsql
as $$
declare
  cases text;
begin
  insert into resources (kind, source) values (called, wanted);
  execute format('grant select (organization_id, id) on %s to letterloom_definer', wanted);
  select string_agg(
      format('when %L then (select organization_id from %s where id = wanted)', kind, source),
      ' ' order by kind)
  into cases
  from resources;
  execute format('create or replace function owner_of(kind text, wanted uuid) returns uuid
    language sql stable return case kind %s end', cases);
  perform make_security_definer('owner_of(text, uuid)');
end
$$;
revoke all on function make_resource(regclass, text) from public;

-- Whose a row is: of these tables no function that looks across organizations asks for more.
revoke select on batches, contacts, erasures, executions, flows, imports, invitations, templates,
  topics from letterloom_definer;
select make_resource(source, kind)
from (values
  ('api_keys'::regclass, 'api_key'),
  ('batches', 'batch'),
  ('connections', 'connection'),
  ('contacts', 'contact'),
  ('erasures', 'erasure'),
  ('executions', 'execution'),
  ('flows', 'flow'),
  ('imports', 'import'),
  ('invitations', 'invitation'),
  ('templates', 'template'),
  ('topics', 'topic')
) as known (source, kind);
