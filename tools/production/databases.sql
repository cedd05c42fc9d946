-- Roles and databases, run by the superuser at each start: changes nothing that is as it should be,
-- and sets the passwords to those of today's environment. No role can enter the other's database; the
-- API and the workers log in as what they are, and only the migrations as the owner of the tables.

\getenv letterloom_password LETTERLOOM_DATABASE_PASSWORD
\getenv api_password LETTERLOOM_API_DATABASE_PASSWORD
\getenv worker_password LETTERLOOM_WORKER_DATABASE_PASSWORD
\getenv temporal_password TEMPORAL_DATABASE_PASSWORD

-- Not in the server's log, should it log statements.
set log_statement = 'none';
set log_min_duration_statement = -1;

set letterloom.owner = 'letterloom_owner';
set letterloom.owner_password = :'letterloom_password';
set letterloom.api_password = :'api_password';
set letterloom.worker_password = :'worker_password';
\ir ../../migrations/roles.sql

select format('create role %I', name)
from (values ('temporal')) as wanted (name)
where not exists (select from pg_roles where rolname = name)
\gexec
alter role temporal login password :'temporal_password';

select format('create database %I', name)
from (values ('letterloom'), ('temporal'), ('temporal_visibility')) as wanted (name)
where not exists (select from pg_database where datname = name)
\gexec

alter database letterloom owner to letterloom_owner;
alter database temporal owner to temporal;
alter database temporal_visibility owner to temporal;
revoke all on database letterloom, temporal, temporal_visibility from public;
grant connect on database letterloom to letterloom_api, letterloom_worker;

-- What takes how long, for whom has to find out: pg_stat_statements, where the server has it.
\connect letterloom
select 'create extension if not exists pg_stat_statements'
where exists (select from pg_available_extensions where name = 'pg_stat_statements')
\gexec
