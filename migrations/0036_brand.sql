-- The language, the postal address and the texts of an organization's mails and public pages.
alter table organizations
  add column language text not null default 'en' check (language in ('en', 'de', 'fr', 'es')),
  add column postal_address text check (length(postal_address) between 1 and 300),
  add column texts jsonb not null default '{}'
    check (jsonb_typeof(texts) = 'object' and length(texts::text) <= 60000);
comment on column organizations.language is 'ISO 639-1, of mails and pages that recipients read';
comment on column organizations.postal_address is
  'in every marketing mail; lines are separated by line feeds';
comment on column organizations.texts is 'its own texts in the place of ours, by name';
grant update (language, postal_address, texts) on organizations to letterloom_api;
