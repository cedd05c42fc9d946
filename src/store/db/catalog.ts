import type { Sql } from './sql.ts'

/**
 * Returns the schema as one text, which is compared with the committed one: tables with their
 * columns, constraints, indexes, triggers, policies, grants and comments, sequences and functions,
 * sorted by name.
 *
 * Only parents of partitioned tables are in it, since partitions come with the days. It has no
 * database name, no OID, and nothing that differs between versions of Postgres: not-null
 * constraints, which are catalog rows of their own from 18 on, are shown with their column.
 */
export async function dumpSchema(sql: Sql): Promise<string> {
  const tables = await sql<{ name: string; kind: string; settings: string | null }[]>`
    select c.relname as name,
      case when c.relkind = 'p' then 'partitioned by ' || pg_get_partkeydef(c.oid) else '' end as kind,
      array_to_string(c.reloptions, ', ') as settings
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
    order by c.relname collate "C"`
  const lines = await linesOf(sql)
  const sections = tables.map(({ name, kind, settings }) =>
    [
      ['table', name, kind, settings === null ? '' : `with (${settings})`]
        .filter(Boolean)
        .join(' '),
      ...lines.filter((line) => line.table === name).map(({ text }) => `  ${text}`),
    ].join('\n'),
  )
  const rest = [...(await sequences(sql)), ...(await functions(sql))]
  return `${[...sections, ...rest].join('\n\n')}\n`
}

const linesOf = (sql: Sql) => sql<{ table: string; text: string }[]>`
  with tables as (
    select c.oid, c.relname as name
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
  ),
  lines as (
    select t.name, 1 as part, a.attnum as place,
      concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then 'not null' end,
        case
          when a.attgenerated <> '' then 'generated as ' || pg_get_expr(d.adbin, d.adrelid)
          when a.attidentity <> '' then 'identity ' || a.attidentity::text
          else 'default ' || pg_get_expr(d.adbin, d.adrelid)
        end) as text
    from tables t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    union all
    select t.name, 2, 0, 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
    from tables t
    join pg_constraint k on k.conrelid = t.oid and k.contype <> 'n' and k.conparentid = 0
    union all
    select t.name, 3, 0, pg_get_indexdef(i.indexrelid)
    from tables t
    join pg_index i on i.indrelid = t.oid
    where not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = t.oid)
    union all
    select t.name, 4, 0, pg_get_triggerdef(g.oid)
    from tables t
    join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
    union all
    select t.name, 5, 0, concat_ws(' ', 'policy', p.polname, 'for',
        case p.polcmd when '*' then 'all' when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' else 'delete' end,
        'to', (select string_agg(r.rolname, ', ' order by r.rolname collate "C") from pg_roles r where r.oid = any(p.polroles)),
        'using ' || pg_get_expr(p.polqual, p.polrelid), 'check ' || pg_get_expr(p.polwithcheck, p.polrelid))
    from tables t
    join pg_policy p on p.polrelid = t.oid
    union all
    select t.name, 6, 0, 'grant ' || string_agg(lower(g.privilege_type), ', ' order by g.privilege_type collate "C") || ' to ' || r.rolname
    from tables t
    join pg_class c on c.oid = t.oid
    cross join lateral aclexplode(c.relacl) g
    join pg_roles r on r.oid = g.grantee and r.oid <> c.relowner
    group by t.name, r.rolname
    union all
    select t.name, 6, 0, 'grant ' || lower(g.privilege_type) || ' (' || string_agg(a.attname, ', ' order by a.attnum) || ') to ' || r.rolname
    from tables t
    join pg_class c on c.oid = t.oid
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    cross join lateral aclexplode(a.attacl) g
    join pg_roles r on r.oid = g.grantee and r.oid <> c.relowner
    group by t.name, g.privilege_type, r.rolname
    union all
    select t.name, 7, 0, concat_ws(' ', 'comment on', coalesce(a.attname, 'table'), 'is', quote_literal(d.description))
    from tables t
    join pg_description d on d.classoid = 'pg_class'::regclass and d.objoid = t.oid
    left join pg_attribute a on a.attrelid = t.oid and a.attnum = d.objsubid and d.objsubid > 0
  )
  select name as table, replace(text, current_schema() || '.', '') as text
  from lines
  order by name collate "C", part, place, text collate "C"`

async function sequences(sql: Sql): Promise<string[]> {
  const sequences = await sql<{ text: string }[]>`
    select 'sequence ' || c.relname || ' ' || format_type(s.seqtypid, null)
      || ' start ' || s.seqstart || ' by ' || s.seqincrement as text
    from pg_sequence s
    join pg_class c on c.oid = s.seqrelid
    where c.relnamespace = current_schema()::regnamespace
    order by c.relname collate "C"`
  return sequences.map(({ text }) => text)
}

async function functions(sql: Sql): Promise<string[]> {
  const functions = await sql<{ text: string }[]>`
    select replace(pg_get_functiondef(p.oid), current_schema() || '.', '') as text
    from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and not exists (
        select from pg_depend d
        where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
      )
    order by p.proname collate "C", pg_get_function_identity_arguments(p.oid) collate "C"`
  return functions.map(({ text }) => text.trim())
}
