-- 403 or 404: the one look-up by id across organizations. It tells only whose it is. A table whose
-- rows have an address of their own in the API joins it.
grant select on templates, contacts, imports, topics, flows, executions, batches, erasures
  to letterloom_definer;

create function owner_of(kind text, wanted uuid) returns uuid
language sql stable
return case kind
  when 'api_key' then (select organization_id from api_keys where id = wanted)
  when 'batch' then (select organization_id from batches where id = wanted)
  when 'connection' then (select organization_id from connections where id = wanted)
  when 'contact' then (select organization_id from contacts where id = wanted)
  when 'erasure' then (select organization_id from erasures where id = wanted)
  when 'execution' then (select organization_id from executions where id = wanted)
  when 'flow' then (select organization_id from flows where id = wanted)
  when 'import' then (select organization_id from imports where id = wanted)
  when 'template' then (select organization_id from templates where id = wanted)
  when 'topic' then (select organization_id from topics where id = wanted)
end;
select make_security_definer('owner_of(text, uuid)');
