import type { Refusal } from '../../src/core/content/compose.ts'
import { AppError } from '../../src/domain/errors.ts'
import type { MailingType, StepOf } from '../../src/domain/flows/flow.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import type { Content } from '../../src/mail/content.ts'
import { type MergeData, type RenderedMail, RenderError } from '../../src/mail/render.ts'
import type { Renderer } from '../../src/mail/renderer.ts'
import * as contents from '../../src/store/content/contents.ts'
import type { Executor } from '../../src/store/db/sql.ts'
import * as templates from '../../src/store/content/templates.ts'

export interface FlowContent {
  /** Throws what `Renderer` throws. */
  render: (data: MergeData) => Promise<RenderedMail> | undefined
  templateId: Uuid | null
  isMarketing: boolean
}

const MOST_KEPT = 50
/** A step that waits for the renderer holds the execution's row. */
const LONGEST_RENDERING_WAIT_MS = 5_000

interface FlowVersion {
  organizationId: Uuid
  flowId: Uuid
  version: number
}

type Parts = Pick<Content, 'subject' | 'html' | 'text'>

/**
 * Finds the content of steps: the newest published version of their template, or their own HTML,
 * which never changes within a version of a flow. Each is read, or compiled, once.
 */
export function flowContents(renderer: Renderer) {
  const cachedParts = new Map<string, Parts>()

  const keep = async (key: string, find: () => Promise<Parts>): Promise<Parts> => {
    const cached = cachedParts.get(key)
    if (cached) return cached
    const parts = await find()
    const [oldest] = cachedParts.keys()
    if (cachedParts.size >= MOST_KEPT && oldest !== undefined) cachedParts.delete(oldest)
    cachedParts.set(key, parts)
    return parts
  }

  return async function find(
    sql: Executor,
    flow: FlowVersion,
    { id, config }: StepOf<MailingType>,
  ): Promise<FlowContent | Refusal> {
    const { organizationId } = flow
    const { templateId, subject, html, variables = {} } = config
    const callOf = (content: string) => ({
      organization: organizationId,
      content,
      by: performance.now() + LONGEST_RENDERING_WAIT_MS,
    })
    const rendered = (key: string, content: Parts, marketing: boolean) => (data: MergeData) =>
      renderer.mails({ key, content, marketing }, [data], callOf(key))[0]

    try {
      if (templateId === undefined) {
        const key = `${organizationId} ${flow.flowId} ${flow.version} ${id}`
        const content = await keep(key, () => {
          const own = { subject: subject ?? null, html: html ?? '' }
          const source = { ...own, variableNames: Object.keys(variables) }
          return renderer.compile(source, undefined, callOf(key))
        })
        return { render: rendered(key, content, true), templateId: null, isMarketing: true }
      }
      const published = await templates.findPublished(sql, organizationId, templateId)
      if (!published) return { reason: 'no_template', error: 'The template is not published' }
      const isMarketing = published.emailType === 'marketing'
      const { contentId } = published
      const line = subject ?? published.subject
      const key = `${organizationId} ${contentId} ${isMarketing} ${line}`
      const content = await keep(key, async () => {
        const { html = '', text = '' } = (await contents.find(sql, organizationId, contentId)) ?? {}
        return { subject: line, html, text }
      })
      return { render: rendered(key, content, isMarketing), templateId: published.id, isMarketing }
    } catch (error) {
      if (error instanceof RenderError) return { reason: error.reason, error: error.message }
      if (!(error instanceof AppError)) throw error
      const problems = (error.details ?? []).map(({ path, message }) => `${path}: ${message}`)
      return { reason: 'bad_content', error: problems.join('\n') }
    }
  }
}
