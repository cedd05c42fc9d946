-- What runs still need cannot be deleted: which ids a version of a flow names, and whether an
-- execution of it is live, is found without reading definitions, which are large.

create function ids_named_by(definition jsonb) returns text[]
language sql
immutable
parallel safe
as $$
  select coalesce(array_agg(distinct lower(id)) filter (where id is not null), '{}')
  from (
    values
      (jsonb_path_query_array(definition, '$.trigger.segmentId')),
      (jsonb_path_query_array(definition, '$.trigger.topicId')),
      (jsonb_path_query_array(definition, '$.steps[*].config.templateId')),
      (jsonb_path_query_array(definition, '$.steps[*].config.topicId')),
      (jsonb_path_query_array(definition,
        '$.steps[*].config.condition.** ? (@.field == "topics").value')),
      (jsonb_path_query_array(definition,
        '$.settings.exitOn.condition.** ? (@.field == "topics").value'))
  ) as named (ids)
  cross join lateral jsonb_array_elements_text(ids) as id
$$;
comment on function ids_named_by(jsonb) is
  'templates, topics and segments that a definition names, in lower case';

alter table flow_versions
  add column named_ids text[] generated always as (ids_named_by(definition)) stored;
comment on column flow_versions.named_ids is
  'templates, topics and segments that it names: the definition is large';

-- Whoever deletes what a version names locks the version, so that an execution which is being
-- started is seen: starting one takes a share of that lock by its foreign key. A lock needs this
-- grant; the column is computed, and nobody can write it.
grant update (named_ids) on flow_versions to letterloom_api;

create index executions_version_live on executions (organization_id, flow_id, version, topic_id)
  where status in ('pending', 'active', 'paused', 'waiting');
