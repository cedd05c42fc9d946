import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, connectAccount, startApi } from '../support/api.ts'
import { testAuthority, testCertificate } from '../support/certificates.ts'
import { openSubmission, type Submission } from '../support/smtp.ts'

/** Programs of others that send mail, where they are installed. */

let api: Api
let submission: Submission
let port: number
let key: string
let folder: string
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
  submission = openSubmission(api)
  port = await submission.listen({ tls: 'starttls', certificate: testCertificate })
  key = (await api.client(api.alice.organizationId, ['send'])).key
  folder = await mkdtemp(join(tmpdir(), 'letterloom-smtp-'))
  await writeFile(join(folder, 'authority.pem'), testAuthority)
})
afterAll(async () => {
  await submission.close()
  await api.close()
  await rm(folder, { recursive: true })
})

const run = promisify(execFile)
const isInstalled = (program: string): boolean =>
  spawnSync(program, ['--version']).error === undefined
const sayings = async (recipient: string) => {
  const [row] = await api.sql<{ id: string }[]>`
    select id from messages where recipient = ${recipient}`
  return (await api.alice.get(`/v1/email/${row?.id}/body`)).body
}

const PYTHON = `
import smtplib, ssl, sys
from email.message import EmailMessage
port, key, authority = sys.argv[1:]
message = EmailMessage()
message["From"] = "Shop <shop@example.com>"
message["To"] = "python@example.com"
message["Subject"] = "Grüße"
message.set_content("Grüße aus Köln\\n.\\n" + "x" * 5000 + "\\n")
message.add_alternative("<p>Grüße</p>", subtype="html")
message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="Rechnung ä.pdf")
with smtplib.SMTP("127.0.0.1", int(port)) as server:
    server.starttls(context=ssl.create_default_context(cafile=authority))
    server.login("letterloom", key)
    server.send_message(message)
`

test.skipIf(!isInstalled('python3'))('smtplib of Python sends text, HTML and a file', async () => {
  await run('python3', ['-c', PYTHON, String(port), key, join(folder, 'authority.pem')])
  const said = await sayings('python@example.com')
  expect(said.text.trimEnd()).toBe(`Grüße aus Köln\n.\n${'x'.repeat(5_000)}`)
  expect(said).toMatchObject({
    html: expect.stringContaining('<p>Grüße</p>'),
    attachments: [{ filename: 'Rechnung ä.pdf', contentType: 'application/pdf', bytes: 4 }],
  })
})

test.skipIf(!isInstalled('swaks'))(
  'swaks sends a file, and is told why a mail is refused',
  async () => {
    await writeFile(join(folder, 'plan.csv'), 'a,b\n')
    const login = ['--auth-user', 'letterloom', '--auth-password', key]
    const swaks = (more: string[]) =>
      run('swaks', [
        '--server',
        `127.0.0.1:${port}`,
        '--tls',
        '--from',
        'shop@example.com',
        ...login,
        ...more,
      ]).catch((error: { stdout: string }) => error)
    const content = ['--header', 'Subject: By swaks', '--body', '.\n..\nHello']
    const file = ['--attach', `@${join(folder, 'plan.csv')}`]
    const sent = await swaks(['--to', 'swaks@example.com', ...content, ...file])
    expect(sent.stdout).toContain('<~  250 2.6.0 Accepted as ')
    const said = await sayings('swaks@example.com')
    expect(said.text.trimEnd()).toBe('.\n..\nHello')
    expect(said.attachments).toMatchObject([{ filename: 'plan.csv', bytes: 4 }])
    const refused = await swaks(['--to', 'swaks@example.com', '--h-From', 'nobody'])
    expect(refused.stdout).toContain('<~* 554 5.6.0 from must be an email address')
  },
)
