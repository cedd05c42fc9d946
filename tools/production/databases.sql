-- Roles and databases, run by the superuser at each start: changes nothing that is as it should be,
-- and sets the passwords to those of today's environment. Neither role can enter the other's database.

\getenv letterloom_password LETTERLOOM_DATABASE_PASSWORD
\getenv temporal_password TEMPORAL_DATABASE_PASSWORD

select format('create role %I login', name)
from (values ('letterloom_owner'), ('temporal')) as wanted (name)
where not exists (select from pg_roles where rolname = name)
\gexec

-- Not in the server's log, should it log statements.
set log_statement = 'none';
alter role letterloom_owner password :'letterloom_password';
alter role temporal password :'temporal_password';
reset log_statement;

select format('create database %I', name)
from (values ('letterloom'), ('temporal'), ('temporal_visibility')) as wanted (name)
where not exists (select from pg_database where datname = name)
\gexec

alter database letterloom owner to letterloom_owner;
alter database temporal owner to temporal;
alter database temporal_visibility owner to temporal;
revoke all on database letterloom, temporal, temporal_visibility from public;
