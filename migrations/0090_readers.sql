-- How conditions read a value of JSON, as src/domain does: `readTime` of times.ts, `booleanOf` of
-- audience/condition-values.ts. Neither fails, whatever a contact has stored.

-- A boolean, or a text that is written as one in large or small letters; null for all else.
create function condition_boolean(value jsonb) returns boolean
language sql immutable parallel safe
return case jsonb_typeof(value)
  when 'boolean' then value::boolean
  when 'string' then
    case lower(value #>> '{}') when 'true' then true when 'false' then false end
end;

-- A text that is a date or a time of ISO 8601, in milliseconds; null for all else. Without an
-- offset it is in UTC.
create or replace function condition_time(value jsonb) returns timestamptz
language plpgsql stable parallel safe
as $$
declare
  written constant text := value #>> '{}';
  parts text[];
  days integer;
begin
  if jsonb_typeof(value) is distinct from 'string' or length(written) > 64 then
    return null;
  end if;
  parts := regexp_match(written, '^([0-9]{4})-(0[1-9]|1[0-2])-([0-9]{2})'
    '([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?'
    '(?:[Zz]|([+-](?:[01][0-9]|2[0-3]))(?::?([0-5][0-9]))?)?)?$');
  if parts is null or parts[1] = '0000' then
    return null;
  end if;
  days := extract(day from make_date(parts[1]::integer, parts[2]::integer, 1)
    + interval '1 month' - interval '1 day');
  if parts[3]::integer not between 1 and days then
    return null;
  end if;
  -- Postgres itself knows no offset of 16 hours.
  return (left(written, 10) || ' ' || coalesce(nullif(substr(written, 12, 5), ''), '00:00')
      || coalesce(left(parts[6], 7), '') || 'Z')::timestamptz
    - make_interval(hours => coalesce(parts[8], '0')::integer,
      mins => (coalesce(left(parts[8], 1), '') || coalesce(parts[9], '0'))::integer);
end
$$;

-- Values that are read now may make members of contacts of which nothing is written.
update kept_segments
set scan = scan + 1, scan_after = null, scan_cursor = null, is_scanned = false
where dropped_at is null;
