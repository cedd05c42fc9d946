-- The oldest transaction keeps rows from being cleaned up, whoever has opened it. Postgres shows those
-- of other logins to members of pg_read_all_stats only; letterloom_definer is one, where the server
-- lets roles.sql make it one.
create function open_transactions()
returns table (pid integer, login text, application text, seconds double precision)
language sql stable
as $$
  select pid, usename::text, application_name, extract(epoch from clock_timestamp() - xact_start)::float8
  from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and xact_start is not null
    and pid <> pg_backend_pid()
  order by xact_start
  limit 10
$$;
select make_security_definer('open_transactions()');
revoke execute on function open_transactions() from letterloom_api;
