import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, startFixture } from './sandbox-fixture.ts'

const EVIL = '<script>alert("x")</script>'

let sandbox: Fixture
let id: string
beforeAll(async () => {
  sandbox = await startFixture()
  const { MessageId = '' } = await sandbox.send({
    ReplyToAddresses: ['reply@letterloom.example'],
    Destination: { ToAddresses: ['ada@example.com'] },
    Content: {
      Simple: {
        Subject: { Data: `Grüße ${EVIL}` },
        Body: { Html: { Data: `<b>${EVIL}</b>` }, Text: { Data: `${EVIL} und Grüße` } },
        Headers: [{ Name: 'X-Evil', Value: EVIL }],
      },
    },
  })
  id = (await sandbox.control.mail(MessageId)).id
})
afterAll(() => sandbox.stop())
afterEach(() => sandbox.control.resetFaults())

const get = async (path: string) => {
  const response = await fetch(`${sandbox.url}${path}`)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('the inbox', () => {
  test.each(['/', '/?search=gr%C3%BC', 'text', 'headers', 'source', 'events', 'html'])(
    'shows what came with the mail as text: %s',
    async (path) => {
      const page = await get(path.startsWith('/') ? path : `/mails/${id}?tab=${path}`)
      expect(page.status).toBe(200)
      expect(page.text).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;')
      expect(page.text).not.toMatch(/<script/i)
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    },
  )

  test('escapes what the address of the page brings', async () => {
    const page = await get(`/?search=${encodeURIComponent(`">${EVIL}`)}&batch="><img src=x>`)
    expect(page.text).not.toContain('<script')
    expect(page.text).not.toContain('<img')
    expect(page.text).toContain('No mail like this')
  })

  test("shows a mail's HTML only in a frame that may do nothing", async () => {
    const page = await get(`/mails/${id}`)
    expect(page.text).toContain(`<iframe sandbox="" src="/mails/${id}/html"`)
    const frame = await get(`/mails/${id}/html`)
    expect(frame.text).toBe(`<b>${EVIL}</b>`)
    expect(frame.headers.get('content-security-policy')).toBe(
      "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'",
    )
  })

  test('makes the source of a mail', async () => {
    const { text } = await get(`/mails/${id}?tab=source`)
    expect(text).toContain('Reply-To: reply@letterloom.example')
    expect(text).toContain('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_')
    expect(text).toContain('Content-Type: multipart/alternative')
    expect(text).toContain('und Gr=C3=BC=C3=9Fe')
  })

  test('has nothing else', async () => {
    expect((await get('/favicon.ico')).status).toBe(404)
    expect((await get('/mails/00000000-0000-7000-8000-000000000000')).status).toBe(404)
    expect((await get('/style.css')).headers.get('content-type')).toMatch(/^text\/css/)
    const posted = await fetch(`${sandbox.url}/mails/${id}`, { method: 'POST' })
    expect(posted.status).toBe(405)
  })
})

describe('the status page', () => {
  const post = (headers: Record<string, string>, body: string) =>
    fetch(`${sandbox.url}/status`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    })

  test('shows counts and turns switches', async () => {
    const answer = await post({ origin: sandbox.url }, 'throttlePercent=25&eventShuffle=on')
    expect(answer.status).toBe(303)
    expect(await sandbox.control.faults()).toMatchObject({
      throttlePercent: 25,
      eventShuffle: true,
      suspended: false,
    })
    expect((await get('/status')).text).toContain('mails accepted')
    expect((await get('/')).text).toContain('Something is made to go wrong')
    await post({ origin: sandbox.url }, 'reset=yes')
    expect(await sandbox.control.faults()).toMatchObject({ throttlePercent: 0 })
  })

  test('takes no form from another page', async () => {
    for (const headers of [
      {},
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: sandbox.url, 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await post(headers as Record<string, string>, 'suspended=on')).status).toBe(403)
    }
    expect((await sandbox.control.faults()).suspended).toBe(false)
  })
})
