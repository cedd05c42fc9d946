-- Templates in full: drafts beside what is published, archiving, and pushes from files.

alter table templates
  add column text_content text,
  add column is_compiled boolean not null default false,
  add column has_unpublished_changes boolean not null default false,
  add column edited_at timestamptz(3) not null default now(),
  add column pushed_at timestamptz(3),
  add column source_hash text check (length(source_hash) <= 100),
  add column cli_project_path text check (length(cli_project_path) <= 500),
  add column ses_template_name text check (length(ses_template_name) <= 64),
  add check (version >= 0),
  add check ((version = 0) = (published_at is null)),
  add check (status <> 'PUBLISHED' or version > 0),
  add check (status <> 'DRAFT' or version = 0),
  add check (not has_unpublished_changes or version > 0);
comment on column templates.source is 'as it was edited last; mail is made of a published version';
comment on column templates.text_content is 'the text part, where it is not made of the HTML';
comment on column templates.is_compiled is 'the source came compiled and is published as it is';
comment on column templates.edited_at is
  'the last change of what a push carries, by whomever: after pushed_at it was edited here';
comment on column templates.source_hash is 'the pusher''s own, to tell what was pushed last';

-- What a version was made of: the template may be edited further while the version is in use.
alter table template_versions
  add column source_type text check (source_type in ('html', 'mjml')),
  add column source text,
  add column text_content text,
  add column is_compiled boolean not null default false,
  add column email_type text check (email_type in ('marketing', 'transactional')),
  add column variables jsonb;
-- Whoever owns the tables and is no superuser sees no rows of theirs otherwise.
alter table templates no force row level security;
alter table template_versions no force row level security;
update template_versions v
set source_type = t.source_type, source = t.source, email_type = t.email_type,
  variables = t.variables
from templates t
where t.organization_id = v.organization_id and t.id = v.template_id;
alter table templates force row level security;
alter table template_versions force row level security;
alter table template_versions
  alter column source_type set not null,
  alter column source set not null,
  alter column email_type set not null,
  alter column variables set not null,
  add check (version > 0);
comment on table template_versions is 'it never changes; sends that began with it keep it';

alter table contents
  add column hash text,
  add column links jsonb,
  add column slots jsonb;
comment on column contents.hash is 'SHA-256 of subject, preview text, HTML and text, base64url';
comment on column contents.links is 'addresses of the HTML part, each once, with Liquid; null: older';
comment on column contents.slots is 'what the parts need from outside, as paths; null: older';
