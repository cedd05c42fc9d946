-- A mail that failed is handed to one batch that tries again, whatever is asked for how often.
alter table messages add column retried boolean not null default false;
comment on column messages.retried is 'another batch mails this contact instead';
