-- Searching contacts by keys of our own instead of the threes of pg_trgm: each key is of one
-- organization, so that nothing else has to be compared to tell tenants apart; a key has every letter,
-- not those of words alone; and the newest hits can be asked for without the others. No extension is
-- needed. What 0014 created stays where it is, since others may use it.
--
-- Keys of a contact:
-- - one and two letters: how its address begins, its domain, its number without +; @ and + if it has
--   an address, a number
-- - three letters: every three in a row of its address and its number
-- - four letters and more: the spans of time in which its id was made, from fifty days to a quarter
--   of a second, each a sixteenth of the one before: so many letters of the id
create function contact_keys(organization_id uuid, id uuid, email text, phone text)
returns bigint[]
language plpgsql
immutable
parallel safe
as $$
declare
  seed constant bigint := uuid_hash_extended(organization_id, 0);
  made constant text := id;
  domain constant text := split_part(email, '@', 2);
  keys bigint[] := array[
    hashtextextended(left(made, 4), seed),
    hashtextextended(left(made, 5), seed),
    hashtextextended(left(made, 6), seed),
    hashtextextended(left(made, 7), seed),
    hashtextextended(left(made, 8), seed),
    hashtextextended(left(made, 10), seed),
    hashtextextended(left(made, 11), seed)
  ];
begin
  if email is not null then
    keys := keys || array[
      hashtextextended('@', seed),
      hashtextextended(left(email, 1), seed),
      hashtextextended(left(email, 2), seed),
      hashtextextended(left(domain, 1), seed),
      hashtextextended(left(domain, 2), seed)
    ];
    for at in 1 .. length(email) - 2 loop
      keys := array_append(keys, hashtextextended(substr(email, at, 3), seed));
    end loop;
  end if;
  if phone is not null then
    keys := keys || array[
      hashtextextended('+', seed),
      hashtextextended(substr(phone, 2, 1), seed),
      hashtextextended(substr(phone, 2, 2), seed)
    ];
    for at in 1 .. length(phone) - 2 loop
      keys := array_append(keys, hashtextextended(substr(phone, at, 3), seed));
    end loop;
  end if;
  return keys;
end
$$;

-- New rows wait in a list, which is merged when it is full and which every search reads: a short one
-- makes imports slower, a long one searches.
create index contacts_keys on contacts
  using gin (contact_keys(organization_id, id, email, phone))
  with (gin_pending_list_limit = 1024);

-- What is looked for is known too late for the planner: it would not use them.
alter index contacts_keys alter column 1 set statistics 0;

drop index if exists contacts_search;
