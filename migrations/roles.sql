-- Makes the database roles and lets them take on each other. It may run at any time: it changes
-- nothing that is as it should be. docker-compose.yml runs it at each start, `letterloom migrate`
-- before the migrations, and `npm start` and the tests on the server that they use. Who runs it is a
-- superuser, or has `createrole` (the master user of a managed Postgres), or finds nothing to do.
--
-- Four roles belong to the server; every installation on it uses them:
--   letterloom_api       sees the rows of the organization that its session was told, and no other
--   letterloom_worker    sees every row: workflows, loops and operators' commands
--   letterloom_search    reads every row: search, segments and freezing. A program takes it on for
--                        connections of their own, and nobody inherits it: a policy binds all who
--                        inherit its role, so the API would read the rows of every organization
--   letterloom_definer   owns the functions that look across organizations; nobody logs in as it
--
-- An installation has an owner, who runs its migrations, and two logins. These settings of the
-- session name them; without them who runs this is the owner, and no password is set:
--   letterloom.owner, letterloom.api_login, letterloom.worker_login
--   letterloom.owner_password, letterloom.api_password, letterloom.worker_password
do $$
declare
  roles constant text[] := array[
    'letterloom_api', 'letterloom_worker', 'letterloom_search', 'letterloom_definer'];
  owner constant text := coalesce(nullif(current_setting('letterloom.owner', true), ''), current_user);
  api_login constant text := coalesce(nullif(current_setting('letterloom.api_login', true), ''), 'letterloom_api');
  worker_login constant text := coalesce(nullif(current_setting('letterloom.worker_login', true), ''), 'letterloom_worker');
  is_before_16 constant boolean := current_setting('server_version_num')::integer < 160000;
  wanted record;
  task text;
begin
  for wanted in select unnest(roles || owner || api_login || worker_login) as name loop
    if exists (select from pg_roles where rolname = wanted.name) then continue; end if;
    task := format('create role %I', wanted.name);
    begin
      execute task;
    exception
      -- Somebody else made it at the same moment.
      when duplicate_object or unique_violation then null;
    end;
  end loop;

  for wanted in
    select member, role, inherits
    from (values
      ('letterloom_api', 'letterloom_search', false),
      ('letterloom_worker', 'letterloom_search', false),
      -- Logins of another name take their role on. What it may do in the database of another
      -- installation they do not inherit.
      (api_login, 'letterloom_api', false),
      (worker_login, 'letterloom_worker', false),
      -- It gives functions to the one, and its migrations change rows as the other.
      (owner, 'letterloom_definer', true),
      (owner, 'letterloom_worker', true)
    ) as memberships (member, role, inherits)
    where member <> role
  loop
    -- Up to 15 a role inherits all of its memberships or none, and may take on each of them.
    if is_before_16 and not wanted.inherits
      and (select rolinherit from pg_roles where rolname = wanted.member) then
      task := format('alter role %I noinherit', wanted.member);
      execute task;
    end if;
    if not pg_has_role(wanted.member, wanted.role, case when is_before_16 then 'member' else 'set' end)
      or pg_has_role(wanted.member, wanted.role, 'usage') <> wanted.inherits then
      task := format(
        case
          when is_before_16 then 'grant %I to %I'
          else 'grant %I to %I with inherit %s, set true'
        end,
        wanted.role, wanted.member, wanted.inherits::text);
      execute task;
    end if;
    if pg_has_role(wanted.member, wanted.role, 'usage') <> wanted.inherits then
      raise exception 'the role "%" % inherit "%": look at its memberships (\du in psql), at who granted them, and whether it is a superuser',
        wanted.member, case when wanted.inherits then 'does not' else 'must not' end, wanted.role;
    end if;
  end loop;

  -- So that a function of its tells how old the oldest transaction of the database is, whoever has
  -- opened it. Where nobody may grant it, those of our own logins are told.
  if not pg_has_role('letterloom_definer', 'pg_read_all_stats', 'usage') then
    begin
      grant pg_read_all_stats to letterloom_definer;
    exception
      when insufficient_privilege then null;
    end;
  end if;

  for wanted in
    select name, current_setting('letterloom.' || kind || '_password', true) as password
    from (values ('owner', owner), ('api', api_login), ('worker', worker_login)) as logins (kind, name)
  loop
    if coalesce(wanted.password, '') = '' then continue; end if;
    task := format('alter role %I login', wanted.name);
    execute format('alter role %I login password %L', wanted.name, wanted.password);
  end loop;
exception
  -- Postgres' own error would quote the statement, and with it a password.
  when insufficient_privilege then
    raise exception '"%" may not "%": have a superuser, or the role that made these roles, run migrations/roles.sql with the setting letterloom.owner = ''%'' (tools/production/README.md)',
      current_user, task, owner
    using errcode = 'insufficient_privilege';
end
$$;
