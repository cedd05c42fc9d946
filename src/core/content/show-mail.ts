import type { MailCheck } from '../../domain/content/mail-check.ts'
import { overloaded } from '../../mail/content-checks.ts'
import { type MergeData, RenderError } from '../../mail/render.ts'
import { type Renderer, RendererBusy } from '../../mail/renderer.ts'
import type { MailTemplate } from '../../mail/works.ts'

/** A mail as it would be sent, or why there is none. */
export interface ShownMail {
  subject: string | null
  html: string | null
  text: string | null
  problem: { reason: string; message: string } | null
  checks: MailCheck[]
}

const NOTHING = { subject: null, html: null, text: null, checks: [] }

/**
 * Renders one mail to be looked at, and looks through it. The renderer takes it for a content of
 * its own: a slow template does not hold up mail that is sent. Throws a 503 when there was no time.
 */
export async function showMail(
  renderer: Renderer,
  template: MailTemplate & { key: string },
  data: MergeData,
  organization: string,
): Promise<ShownMail> {
  try {
    const { mail, checks } = await renderer.preview(template, data, {
      organization,
      content: `preview ${template.key}`,
    })
    return { ...mail, problem: null, checks }
  } catch (error) {
    if (error instanceof RendererBusy) throw overloaded()
    if (!(error instanceof RenderError)) throw error
    return { ...NOTHING, problem: { reason: error.reason, message: error.message } }
  }
}

/** Links of a mail that is only looked at: nobody who follows them unsubscribes anybody. */
export const deadLinks = (publicUrl: string) => ({
  unsubscribeUrl: `${publicUrl}/unsubscribe/preview`,
  preferencesUrl: `${publicUrl}/preferences/preview`,
})
