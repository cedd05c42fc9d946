-- Statements that change mails and contacts write deliveries for nobody where an organization has no
-- endpoint. They must not wake the dispatchers: Postgres lets one transaction after the other commit
-- where they notify.
create or replace function queue_hook_deliveries() returns trigger
language plpgsql
as $$
begin
  if exists (select from added where state = 'pending') then
    insert into hook_queue (organization_id, id, endpoint_id, priority, due_at)
    select organization_id, id, endpoint_id, priority, now()
    from added
    where state = 'pending';
  end if;
  return null;
end
$$;
