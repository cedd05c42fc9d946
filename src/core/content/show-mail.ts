import type { MailCheck } from '../../domain/content/mail-check.ts'
import { overloaded } from '../../mail/content-checks.ts'
import { type MergeData, RenderError } from '../../mail/render.ts'
import { type Renderer, RendererBusy } from '../../mail/renderer.ts'
import type { MailTemplate } from '../../mail/works.ts'

export interface ShownMail {
  subject: string | null
  html: string | null
  text: string | null
  problem: { reason: string; message: string } | null
  checks: MailCheck[]
}

const NOTHING = { subject: null, html: null, text: null, checks: [] }

/**
 * Renders one mail for viewing, and checks it. The renderer treats it as a separate content, so a
 * slow template does not delay mail that is sent. Throws a 503 if there was no time.
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

export const deadLinks = (publicUrl: string) => ({
  unsubscribeUrl: `${publicUrl}/unsubscribe/preview`,
  preferencesUrl: `${publicUrl}/preferences/preview`,
})
