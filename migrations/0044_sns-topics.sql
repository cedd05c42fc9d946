-- The topic whose signed messages are delivery events of a connection.
create function sns_topic(connection uuid)
returns table (organization_id uuid, id uuid, account_id text, region text, topic_arn text)
language sql stable
begin atomic
  select c.organization_id, c.id, c.account_id, c.region, c.sns_topic_arn
  from connections c
  where c.id = connection and c.disconnected_at is null and c.sns_topic_arn is not null;
end;
select make_security_definer('sns_topic(uuid)');
