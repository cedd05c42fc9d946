-- A mail in the logs is no row of `resources`: no index begins with its id, which would make every
-- mail that is sent dearer. It is looked for by the primary key, organization by organization and
-- on a miss only; `limit` keeps the planner from doing that in another way.
create function owner_of_log(wanted uuid, buckets uuid[]) returns uuid
language sql
stable
as $$
  select found.organization_id
  from organizations o
  cross join lateral (
    select m.organization_id
    from messages m
    where m.organization_id = o.id and m.id = wanted and m.bucket = any(buckets)
    limit 1
  ) found
  limit 1
$$;
comment on function owner_of_log(uuid, uuid[]) is
  'of a mail with this id in one of these buckets; tells 403 from 404';
grant select (organization_id, bucket, id) on messages to letterloom_definer;
select make_security_definer('owner_of_log(uuid, uuid[])');
