import { readFile } from 'node:fs/promises'
import { sentenceOf } from '../../domain/audience/condition-sentence.ts'
import type { Condition } from '../../domain/audience/condition.ts'
import { askAll } from '../../core/audience/members.ts'
import { whyUnusable } from '../../domain/audience/usable-condition.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import * as members from '../../store/audience/members.ts'
import * as segments from '../../store/audience/segments.ts'
import type { Sql } from '../../store/db/sql.ts'

/**
 * Returns the condition of a segment, or of a file, in words, and the lines of the plan by which
 * Postgres finds its members. Errors are sentences for a terminal.
 */
export async function explainSegment(
  sql: Sql,
  idOrFile: string,
  { org, run }: { org?: string; run: boolean },
): Promise<string[]> {
  const { organizationId, condition } = isUuid(idOrFile)
    ? await ofSegment(sql, idOrFile)
    : await ofFile(idOrFile, org)
  const problem = whyUnusable(condition)
  if (problem !== undefined) throw new Error(problem)
  const question = { organizationId, condition, now: new Date().toISOString() }
  const lines = await askAll(sql, (tx) => members.explain(tx, question, { isRun: run }))
  return [sentenceOf(condition), '', ...lines]
}

async function ofSegment(sql: Sql, id: Uuid) {
  const segment = await segments.findAnywhere(sql, id)
  if (!segment) throw new Error(`There is no segment ${id}`)
  return segment
}

async function ofFile(path: string, organizationId = '') {
  if (!isUuid(organizationId)) {
    throw new Error('A file requires the organization: --org <id>')
  }
  const condition: Condition = JSON.parse(await readFile(path, 'utf8'))
  return { organizationId, condition }
}
