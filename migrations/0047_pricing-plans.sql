-- What an account pays for each mail depends on its pricing plan: costs are estimated by it.

alter table account_health add column pricing_plan text check (length(pricing_plan) <= 100);
comment on column account_health.pricing_plan is
  'as SES last wrote it (NONE: à la carte); null: it never said. It stays when an account is silent';
