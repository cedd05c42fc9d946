-- Segments: named conditions. Who is in one is asked of the contacts each time.

create table segments (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  name text not null check (length(name) between 1 and 100),
  description text check (length(description) <= 1000),
  condition jsonb not null,
  member_count bigint,
  member_count_is_exact boolean,
  counted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  check (num_nulls(member_count, member_count_is_exact, counted_at) in (0, 3))
);
comment on table segments is 'no personal data: organization_id id member_count '
  'member_count_is_exact counted_at created_at updated_at';
comment on column segments.condition is 'it was checked when it was written';
comment on column segments.member_count is 'null: it has not been counted, or that took too long';
select protect_tenant_table('segments');
select make_resource('segments', 'segment');

alter table batches add column segment_id uuid,
  add constraint batches_segment_id_check
    check (segment_id is null or audience_type = 'segment');
comment on column batches.segment_id is
  'its members at the time of freezing are mailed; while the batch is live nobody can delete it';

-- How conditions read a value of JSON: the same as `numberOf` and `timeOf` in
-- src/domain/audience/condition-values.ts. Neither fails, whatever a contact has stored: a cast is
-- made only of what is known to fit it.

-- A number, or a text that is written as one; null for all else. Numbers beyond those of JavaScript
-- are read as it reads them: as none, and as zero.
create function condition_number(value jsonb) returns float8
language sql immutable parallel safe
return case jsonb_typeof(value)
  when 'number' then
    case
      when abs(value::numeric) >= 1.797693134862315808e308 then null
      when abs(value::numeric) <= 2.4703282292062327e-324 then 0
      else value::float8
    end
  when 'string' then
    case
      when (value #>> '{}') ~ '^-?[0-9]{1,15}(\.[0-9]{1,15})?$' then (value #>> '{}')::float8
    end
end;

-- A text that is a date or a time of ISO 8601, in milliseconds; null for all else. Without an
-- offset it is in UTC.
create function condition_time(value jsonb) returns timestamptz
language plpgsql stable parallel safe
as $$
declare
  written constant text := value #>> '{}';
  parts text[];
  days integer;
begin
  if jsonb_typeof(value) is distinct from 'string' then
    return null;
  end if;
  parts := regexp_match(written, '^([0-9]{4})-(0[1-9]|1[0-2])-([0-9]{2})'
    '([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?'
    '(Z|[+-](0[0-9]|1[0-5]):[0-5][0-9])?)?$');
  if parts is null or parts[1] = '0000' then
    return null;
  end if;
  days := extract(day from make_date(parts[1]::integer, parts[2]::integer, 1)
    + interval '1 month' - interval '1 day');
  if parts[3]::integer not between 1 and days then
    return null;
  end if;
  return (left(written, 10) || ' ' || coalesce(nullif(substr(written, 12, 5), ''), '00:00')
    || coalesce(left(parts[6], 7), '') || coalesce(parts[8], 'Z'))::timestamptz;
end
$$;
