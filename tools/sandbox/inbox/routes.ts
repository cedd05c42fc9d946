import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Deps } from '../deps.ts'
import { type Faults, faultsUpdate, NO_FAULTS } from '../faults.ts'
import { sendText } from '../http.ts'
import { countMails, findMail, listMails, type MailFilter } from '../mails.ts'
import { html, type Markup } from './html.ts'
import { layout } from './layout.ts'
import { listPage } from './list-page.ts'
import { mailPage, TABS } from './mail-page.ts'
import { statusPage, switchedOn } from './status-page.ts'
import { STYLE } from './style.ts'

interface Page {
  path: string
  query: URLSearchParams
  body: Buffer
}

/** Allows a mail's HTML to show itself only: no script, foreign image, form or link. */
const MAIL_POLICY =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'"
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; frame-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const MAIL = /^\/mails\/([0-9a-f-]{36})(\/html)?$/
const STYLE_TAG = `"${createHash('sha256').update(STYLE).digest('hex').slice(0, 16)}"`

export async function handleInbox(
  deps: Deps,
  { path, query, body }: Page,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  if (request.method === 'POST' && path === '/status') {
    if (!isOwnForm(request)) {
      sendPage(response, 403, message('This form was not sent from this page.'))
      return
    }
    applyForm(deps, new URLSearchParams(body.toString('utf8')))
    response.writeHead(303, { location: '/status', 'content-length': 0 }).end()
    return
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendPage(response, 405, message('This page can only be looked at.'))
    return
  }
  if (path === '/style.css') {
    const headers = { etag: STYLE_TAG, 'cache-control': 'no-cache' }
    sendText(response, { status: 200, type: 'text/css; charset=utf-8', text: STYLE, headers })
    return
  }
  const [, id, frame] = MAIL.exec(path) ?? []
  if (path === '/') sendPage(response, 200, await inbox(deps, query))
  else if (path === '/status') sendPage(response, 200, await status(deps))
  else if (id !== undefined) await sendMail(deps, response, { id, frame, query })
  else sendPage(response, 404, message('There is nothing here.'))
}

async function inbox(deps: Deps, query: URLSearchParams): Promise<Markup> {
  const filter: MailFilter = {
    search: query.get('search')?.trim(),
    account: query.get('account')?.trim(),
    batch: query.get('batch')?.trim(),
    cursor: query.get('cursor') ?? undefined,
  }
  const mailPageList = await listMails(deps.sql, filter)
  return listPage({ filter, ...mailPageList, faults: switchedOn(deps.faults.of()) })
}

async function status({ sql, pump, accounts, limiter, faults }: Deps): Promise<Markup> {
  const [counts, events] = await Promise.all([countMails(sql, {}), pump.stats()])
  return statusPage({
    counts,
    events,
    accounts: accounts
      .all()
      .map((account) => ({ ...account, sentLast24Hours: limiter.sentLast24Hours(account) })),
    faults: faults.of(),
  })
}

async function sendMail(
  deps: Deps,
  response: ServerResponse,
  { id, frame, query }: { id: string; frame: string | undefined; query: URLSearchParams },
): Promise<void> {
  const mail = await findMail(deps.sql, id)
  if (!mail) {
    sendPage(response, 404, message('This mail is not here (any more).'))
    return
  }
  if (frame === undefined) {
    const wantedTab = query.get('tab')
    sendPage(
      response,
      200,
      await mailPage(
        mail,
        TABS.find((tab) => tab === wantedTab),
      ),
    )
    return
  }
  sendText(response, {
    status: 200,
    type: 'text/html; charset=utf-8',
    text: mail.html ?? '',
    headers: securityHeaders(MAIL_POLICY),
  })
}

/** Refuses forms of other sites, by the page that the browser names. */
function isOwnForm({ headers }: IncomingMessage): boolean {
  if (headers['sec-fetch-site'] !== undefined && headers['sec-fetch-site'] !== 'same-origin') {
    return false
  }
  return headers.origin === `http://${headers.host}`
}

function applyForm({ faults }: Deps, form: URLSearchParams): void {
  if (form.get('reset') !== null) {
    faults.reset()
    return
  }
  const update: Record<string, number | boolean> = {}
  for (const [name, value] of Object.entries(NO_FAULTS) as [keyof Faults, number | boolean][]) {
    update[name] = typeof value === 'boolean' ? form.get(name) === 'on' : Number(form.get(name))
  }
  if (faultsUpdate.Check(update)) faults.set(update)
}

const message = (text: string): Markup => layout(text, 'inbox', html`<p class="empty">${text}</p>`)

const securityHeaders = (policy: string) => ({
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
})

const sendPage = (response: ServerResponse, status: number, { markup }: Markup): void =>
  sendText(response, {
    status,
    type: 'text/html; charset=utf-8',
    text: markup,
    headers: securityHeaders(PAGE_POLICY),
  })
