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
  primary key (organization_id, id)
);
select protect_tenant_table('contents');

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
  version integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  published_at timestamptz(3),
  primary key (organization_id, id),
  unique (organization_id, slug)
);
select protect_tenant_table('templates');

create table template_versions (
  organization_id uuid not null,
  template_id uuid not null,
  version integer not null,
  content_id uuid not null,
  published_at timestamptz(3) not null default now(),
  primary key (organization_id, template_id, version),
  foreign key (organization_id, template_id)
    references templates (organization_id, id) on delete cascade,
  foreign key (organization_id, content_id) references contents (organization_id, id)
);
select protect_tenant_table('template_versions');
