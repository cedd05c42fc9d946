-- What mails say: rendered content, templates and their versions.

-- Immutable once written: a template version or the inline content of a batch.
create table contents (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  subject text,
  preview_text text,
  html text not null,
  text text not null,
  created_at timestamptz(3) not null default now(),
  hash text,
  links jsonb,
  slots jsonb,
  primary key (organization_id, id)
);
comment on column contents.hash is 'SHA-256 of subject, preview text, HTML and text, base64url';
comment on column contents.links is 'addresses of the HTML part, each once, with Liquid; null: older';
comment on column contents.slots is 'what the parts need from outside, as paths; null: older';
select protect_tenant_table('contents');

-- A draft is here beside what is published; files are pushed into it.
create table templates (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  name text not null check (length(name) between 1 and 200),
  slug text not null check (slug ~ '^[a-z0-9-]{1,100}$'),
  subject text,
  preview_text text,
  source_type text not null check (source_type in ('html', 'mjml')),
  source text not null,
  email_type text not null check (email_type in ('marketing', 'transactional')),
  variables jsonb not null default '[]',
  status text not null check (status in ('DRAFT', 'PUBLISHED', 'ARCHIVED')),
  version integer not null default 0 check (version >= 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  published_at timestamptz(3),
  text_content text,
  is_compiled boolean not null default false,
  has_unpublished_changes boolean not null default false,
  edited_at timestamptz(3) not null default now(),
  pushed_at timestamptz(3),
  source_hash text check (length(source_hash) <= 100),
  cli_project_path text check (length(cli_project_path) <= 500),
  ses_template_name text check (length(ses_template_name) <= 64),
  primary key (organization_id, id),
  unique (organization_id, slug),
  check ((version = 0) = (published_at is null)),
  check (status <> 'PUBLISHED' or version > 0),
  check (status <> 'DRAFT' or version = 0),
  check (not has_unpublished_changes or version > 0)
);
comment on column templates.source is 'as it was edited last; mail is made of a published version';
comment on column templates.text_content is 'the text part, where it is not made of the HTML';
comment on column templates.is_compiled is 'the source came compiled and is published as it is';
comment on column templates.edited_at is
  'the last change of what a push carries, by whomever: after pushed_at it was edited here';
comment on column templates.source_hash is 'the pusher''s own, to tell what was pushed last';
select protect_tenant_table('templates');
select make_resource('templates', 'template');

-- What a version was made of: the template may be edited further while the version is in use.
create table template_versions (
  organization_id uuid not null,
  template_id uuid not null,
  version integer not null check (version > 0),
  content_id uuid not null,
  published_at timestamptz(3) not null default now(),
  source_type text not null check (source_type in ('html', 'mjml')),
  source text not null,
  text_content text,
  is_compiled boolean not null default false,
  email_type text not null check (email_type in ('marketing', 'transactional')),
  variables jsonb not null,
  primary key (organization_id, template_id, version),
  foreign key (organization_id, template_id)
    references templates (organization_id, id) on delete cascade,
  foreign key (organization_id, content_id) references contents (organization_id, id)
);
comment on table template_versions is 'it never changes; sends that began with it keep it';
select protect_tenant_table('template_versions');
