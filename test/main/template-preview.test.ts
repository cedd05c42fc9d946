import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { previewOf, writePreview } from '../../src/main/commands/template-preview.ts'
import { type Api, createContact, startApi } from '../support/api.ts'

const CLI = new URL('../../dist/src/main/cli.js', import.meta.url).pathname

let api: Api
let folder: string
let access: { baseUrl: string; keyFile: string }
const file = (name: string) => join(folder, name)

beforeAll(async () => {
  api = await startApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  folder = await mkdtemp(join(tmpdir(), 'letterloom-preview-'))
  access = {
    baseUrl: `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`,
    keyFile: file('key'),
  }
  await writeFile(access.keyFile, api.alice.key)
  const marks = { name: 'News', subject: 'News of {{ month }}', variables: [{ name: 'month' }] }
  await writeFile(file('news.json'), JSON.stringify(marks))
  const source = '<p>{{ contact.firstName }} {{ month }}</p><a href="#">x</a>'
  await writeFile(file('news.html'), source)
  await writeFile(file('values.json'), JSON.stringify({ variables: { month: 'May' } }))
  await writeFile(
    file('alone.mjml'),
    '<mjml><mj-body><mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section></mj-body></mjml>',
  )
})
afterAll(async () => {
  await api.close()
  await rm(folder, { recursive: true })
})

test('a file is made here, with what lies beside it', async () => {
  const nobody = { baseUrl: 'http://127.0.0.1:1' }
  const shown = await previewOf(nobody, file('news.html'), { values: file('values.json') })
  expect(shown).toMatchObject({
    name: 'News',
    subject: 'News of May',
    html: expect.stringContaining('<p>Ada May</p>'),
    problem: null,
    checks: [{ code: 'link_without_address' }, { code: 'no_unsubscribe_link' }],
  })
  const alone = await previewOf(nobody, file('alone.mjml'), {})
  expect(alone).toMatchObject({ name: 'alone', subject: null })
  expect(alone.html).toContain('Hi')
  const missing = await previewOf(nobody, file('news.html'), {})
  expect(missing.problem?.reason).toBe('missing_value')
})

test('a template of the account is what the API says', async () => {
  const { id: contactId } = await createContact(api.alice, {
    email: 'grace@example.com',
    firstName: 'Grace',
  })
  const template = { name: 'Offer', subject: 'S', source: '<p>{{ contact.firstName }}</p>' }
  await api.alice.post('/v1/templates', template)
  const shown = await previewOf(access, 'offer', { contact: contactId })
  expect(shown).toMatchObject({ email: 'grace@example.com', subject: 'S' })
  await writePreview(shown, { format: 'page', out: file('page.html') })
  expect(await readFile(file('page.html'), 'utf8')).toContain('sandbox=""')
  await expect(previewOf(access, 'nothing', {})).rejects.toThrow(/not found/i)
})

test('a refusal is a sentence', async () => {
  await writeFile(file('bad.html'), '<p>{% if %}</p>')
  await expect(previewOf(access, file('bad.html'), {})).rejects.toThrow(/source: .*line 1/s)
  const contact = '0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11'
  await expect(previewOf(access, file('news.html'), { contact })).rejects.toThrow('--values')
  await writeFile(file('bad.json'), '{')
  await expect(previewOf(access, file('news.html'), { values: file('bad.json') })).rejects.toThrow(
    /is not JSON/,
  )
})

test('the command writes the mail to standard output and what it found to standard error', async () => {
  const args = [CLI, 'templates', 'preview', file('news.html')]
  const run = (more: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const child = execFile(process.execPath, [...args, ...more], (_error, out, err) =>
        resolve({ code: child.exitCode ?? 1, out, err }),
      )
    })
  await writeFile(file('acting.json'), JSON.stringify({ variables: { month: 'May\u202e' } }))
  const good = await run(['--values', file('acting.json')])
  expect(good).toMatchObject({ code: 0, out: expect.stringContaining('<p>Ada May\u202e</p>') })
  // Standard output is no terminal here; standard error is read in one whatever it is.
  expect(good.err).toContain('Subject: News of May\\u202e\n')
  expect(good.err).toContain('warning link_without_address: 1 link ("x") leads nowhere')
  const none = await run(['--format', 'text'])
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('There is no mail') })
})
