-- A mail in the logs is no row of `resources`: no index begins with its id, which would make every
-- mail that is sent dearer. It is looked for by the primary keys, organization by organization and
-- on a miss only; `limit` keeps the planner from doing that in another way.
create function owner_of_log(known text, wanted uuid, buckets uuid[]) returns uuid
language sql
stable
as $$
  (
    select found.organization_id
    from organizations o
    cross join lateral (
      select m.organization_id
      from message_ids m
      where m.organization_id = o.id and m.message_id = known
      limit 1
    ) found
  )
  union all
  (
    select found.organization_id
    from organizations o
    cross join lateral (
      select m.organization_id
      from messages m
      where m.organization_id = o.id and m.id = wanted and m.bucket = any(buckets)
      limit 1
    ) found
  )
  limit 1
$$;
comment on function owner_of_log(text, uuid, uuid[]) is
  'of a mail with this message id, or with this id in one of these buckets; tells 403 from 404';
grant select (organization_id, message_id) on message_ids to letterloom_definer;
grant select (organization_id, bucket, id) on messages to letterloom_definer;
select make_security_definer('owner_of_log(text, uuid, uuid[])');
