-- A number that cannot be read costs a row of an import its number and not the contact.
alter table imports add column phones_left_out integer not null default 0;
comment on column imports.phones_left_out is
  'rows that were written without their number; they are in import_errors, too';
