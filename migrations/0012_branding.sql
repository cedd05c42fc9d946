-- How an organization's public pages look.

alter table organizations
  add column accent_color text check (accent_color ~ '^#[0-9a-f]{6}$'),
  add column background_color text check (background_color ~ '^#[0-9a-f]{6}$');
comment on column organizations.accent_color is 'of the buttons on public pages; null: ours';
comment on column organizations.background_color is 'behind the text of public pages; null: ours';

grant update (accent_color, background_color) on organizations to letterloom_api;
