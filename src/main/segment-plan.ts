import { readFile } from 'node:fs/promises'
import { checkCondition, IN_SEGMENTS } from '../domain/audience/condition-check.ts'
import { sentenceOf } from '../domain/audience/condition-sentence.ts'
import type { Condition } from '../domain/audience/condition.ts'
import { sentence } from '../domain/errors.ts'
import { isUuid, type Uuid } from '../ids.ts'
import * as members from '../store/audience/members.ts'
import * as segments from '../store/audience/segments.ts'
import type { Sql } from '../store/db/sql.ts'

/**
 * The condition of a segment, or of a file, in words, and the lines of the plan by which Postgres
 * finds its members. Errors are sentences for a terminal.
 */
export async function explainSegment(
  sql: Sql,
  idOrFile: string,
  { org, run }: { org?: string; run: boolean },
): Promise<string[]> {
  const { organizationId, condition } = isUuid(idOrFile)
    ? await ofSegment(sql, idOrFile)
    : await ofFile(idOrFile, org)
  const asked = { organizationId, condition, now: new Date().toISOString() }
  return [sentenceOf(condition), '', ...(await members.explain(sql, asked, { isRun: run }))]
}

async function ofSegment(sql: Sql, id: Uuid) {
  const segment = await segments.findAnywhere(sql, id)
  if (!segment) throw new Error(`There is no segment ${id}`)
  return segment
}

async function ofFile(path: string, organizationId = '') {
  if (!isUuid(organizationId)) {
    throw new Error('With a file, say whose contacts are meant: --org <id>')
  }
  const given: unknown = JSON.parse(await readFile(path, 'utf8'))
  const problems = checkCondition(given, 'condition', IN_SEGMENTS)
  if (problems.length > 0) throw new Error(sentence(problems))
  return { organizationId, condition: given as Condition }
}
