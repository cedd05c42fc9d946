-- The bodies of mail that is kept for the log, which workflows send, count as stored bytes of their
-- organization. A body is never updated. src/store/privacy/old-days.ts subtracts those of a day whose
-- partition it drops: that fires no trigger.

create function count_bytes_of_message_bodies() returns trigger
language plpgsql
as $$
begin
  perform add_stored_bytes(array(
    select row(b.organization_id, null::bigint,
      case tg_op when 'INSERT' then sum(b.bytes) else -sum(b.bytes) end)::stored_bytes
    from (
      select organization_id, coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0) as bytes
      from changed
    ) b
    group by b.organization_id
    having sum(b.bytes) > 0
  ));
  return null;
end
$$;
revoke all on function count_bytes_of_message_bodies() from public;
create trigger count_bytes_inserted after insert on message_bodies
  referencing new table as changed
  for each statement execute function count_bytes_of_message_bodies();
create trigger count_bytes_deleted after delete on message_bodies
  referencing old table as changed
  for each statement execute function count_bytes_of_message_bodies();

-- The owner of a table with forced row-level security sees none of its rows.
alter table message_bodies no force row level security;
alter table stored_bytes no force row level security;
insert into stored_bytes (organization_id, bytes)
select organization_id, sum(coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0)) as bytes
from message_bodies
group by organization_id
having sum(coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0)) > 0;
alter table message_bodies force row level security;
alter table stored_bytes force row level security;
