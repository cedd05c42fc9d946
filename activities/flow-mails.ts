import { AppError } from '../src/domain/errors.ts'
import type { StepOf } from '../src/domain/flow.ts'
import type { Uuid } from '../src/ids.ts'
import { compileContent } from '../src/mail/content.ts'
import { renderer } from '../src/mail/render.ts'
import * as contents from '../src/store/contents.ts'
import type { Executor } from '../src/store/sql.ts'
import * as templates from '../src/store/templates.ts'

/** What a step of a flow says: ready to be made a mail of. */
export interface FlowContent {
  render: ReturnType<typeof renderer>
  templateId: Uuid | null
  /** Carries the ways to leave. */
  isMarketing: boolean
}

/** Why nothing can be said: a stable word, and what is wrong. */
export interface NoContent {
  reason: string
  error: string
}

/** Parsed contents kept per process; parsing costs as much as hundreds of mails. */
const MAX_PARSED = 50

interface Place {
  organizationId: Uuid
  flowId: Uuid
  version: number
}

/**
 * Finds what steps say: the newest version of their template that is published, or their own HTML,
 * which no version of a flow changes. Each is parsed once.
 */
export function flowContents() {
  const parsed = new Map<string, ReturnType<typeof renderer>>()

  const parse = (key: string, make: () => ReturnType<typeof renderer>) => {
    const known = parsed.get(key)
    if (known) return known
    const made = make()
    const [oldest] = parsed.keys()
    if (parsed.size >= MAX_PARSED && oldest !== undefined) parsed.delete(oldest)
    parsed.set(key, made)
    return made
  }

  return async function find(
    sql: Executor,
    place: Place,
    { id, config }: StepOf<'send_email'>,
  ): Promise<FlowContent | NoContent> {
    const { organizationId } = place
    const { templateId, subject, html, variables = {} } = config
    try {
      if (templateId === undefined) {
        const key = `${organizationId} ${place.flowId} ${place.version} ${id}`
        const render = parse(key, () => {
          const own = { subject: subject ?? null, html: html ?? '' }
          const content = compileContent({ ...own, variableNames: Object.keys(variables) })
          return renderer(content, { marketing: true })
        })
        return { render, templateId: null, isMarketing: true }
      }
      const published = await templates.findPublished(sql, organizationId, templateId)
      if (!published) return { reason: 'no_template', error: 'The template is not published' }
      const isMarketing = published.emailType === 'marketing'
      const { contentId } = published
      const line = subject ?? published.subject
      const key = `${organizationId} ${contentId} ${isMarketing} ${line}`
      const content = parsed.has(key)
        ? undefined
        : await contents.find(sql, organizationId, contentId)
      const render = parse(key, () =>
        renderer(
          { subject: line, html: content?.html ?? '', text: content?.text ?? '' },
          { marketing: isMarketing },
        ),
      )
      return { render, templateId: published.id, isMarketing }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const problems = (error.details ?? []).map(({ path, message }) => `${path}: ${message}`)
      return { reason: 'bad_content', error: problems.join('\n') }
    }
  }
}
