import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pullTemplates, pushTemplates } from '../../src/main/commands/template-files.ts'
import { type Api, startApi } from '../support/api.ts'

const CLI = new URL('../../dist/src/main/cli.js', import.meta.url).pathname
const execute = promisify(execFile)

let api: Api
let parent: string
let folder: string
let access: { baseUrl: string; keyFile: string }
beforeAll(async () => {
  api = await startApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  parent = await mkdtemp(join(tmpdir(), 'letterloom-templates-'))
  folder = join(parent, 'mails')
  access = {
    baseUrl: `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`,
    keyFile: join(parent, 'key'),
  }
  await writeFile(access.keyFile, api.alice.key)
})
afterAll(async () => {
  await api.close()
  await rm(parent, { recursive: true })
})

const RUN = { dryRun: false, force: false }
const push = (options: object = {}) => pushTemplates(access, folder, { ...RUN, ...options })

test('a folder that was pulled changes nothing; edited, it is tried and then pushed', async () => {
  const news = { slug: 'news', name: 'News', subject: 'News', source: '<p>a</p>\n<p>b</p>\n' }
  const compiled = { slug: 'built', name: 'Built', compiledHtml: '<p>c</p>', compiledText: 'c' }
  await api.alice.post('/v1/templates/push', { templates: [news, compiled] })
  await pullTemplates(access, folder, undefined)
  const files = await readdir(folder)
  expect(files.toSorted()).toEqual([
    'built.html',
    'built.json',
    'built.txt',
    'news.html',
    'news.json',
  ])
  const outcomes = async (options?: object) => {
    const { answer, differences } = await push(options)
    return [answer.results.map(({ slug, outcome }) => `${slug} ${outcome}`), differences]
  }
  expect(await outcomes()).toEqual([['built unchanged', 'news unchanged'], ''])

  const file = join(folder, 'news.html')
  await writeFile(file, (await readFile(file, 'utf8')).replace('<p>b</p>', '<p>B</p>'))
  const wanted = ['built unchanged', 'news updated']
  const difference = 'news: line 5\n- <p>b</p>\n+ <p>B</p>\n'
  expect(await outcomes({ dryRun: true })).toEqual([wanted, difference])
  expect((await api.alice.get('/v1/templates/news')).body.version).toBe(1)
  expect(await outcomes()).toEqual([wanted, ''])
  expect((await api.alice.get('/v1/templates/news')).body).toMatchObject({ version: 2 })
})

test('an edit made there is not overwritten, and a refusal is a sentence', async () => {
  await api.alice.patch('/v1/templates/news', { source: '<p>there</p>' })
  await expect(push()).rejects.toThrow(/^Nothing was pushed: .*edited here/)
  await writeFile(join(folder, 'news.html'), '{% if %}')
  await expect(push({ force: true })).rejects.toThrow(/templates\[1\]\.source/)
  await writeFile(join(folder, 'news.json'), '{')
  await expect(push()).rejects.toThrow(/news\.json is not JSON/)
  await expect(pullTemplates(access, folder, 'nobody')).rejects.toThrow('There is no template')
})

const MJML =
  '<mjml><mj-body><mj-section><mj-column><mj-text>Old</mj-text></mj-column></mj-section></mj-body></mjml>'
/** A folder of its own, and the template `slug` in it, pulled. */
async function pulledFolder(slug: string, template: object) {
  await api.alice.post('/v1/templates/push', { slug, name: slug, subject: slug, ...template })
  const own = join(parent, slug)
  await pullTemplates(access, own, slug)
  return own
}

test('a pull leaves nothing that the template was before, and a push nothing to guess', async () => {
  const old = { sourceType: 'mjml', source: MJML, textContent: 'old' }
  const own = await pulledFolder('turned', old)
  await writeFile(join(own, 'turned-notes.txt'), 'mine')
  const now = { sourceType: 'html', source: '<p>New</p>', textContent: null }
  await api.alice.patch('/v1/templates/turned', now)
  await pullTemplates(access, own, 'turned')
  const files = await readdir(own)
  expect(files.toSorted()).toEqual([
    'turned-notes.txt',
    'turned.html',
    'turned.json',
    'turned.published.mjml',
  ])
  await pushTemplates(access, own, RUN)
  expect((await api.alice.get('/v1/templates/turned')).body).toMatchObject(now)

  await writeFile(join(own, 'turned.mjml'), MJML)
  await expect(pushTemplates(access, own, RUN)).rejects.toThrow(
    'has both turned.html and turned.mjml',
  )
})

test('a push of a whole folder publishes the file that was edited, and nobody’s draft', async () => {
  const own = join(parent, 'shared')
  const draft = { name: 'Draft', slug: 'half-draft', source: '<p>{% if', status: 'DRAFT' }
  await api.alice.post('/v1/templates', draft)
  for (const slug of ['half-html', 'half-mjml', 'half-compiled']) {
    const { source, ...compiled } = { source: '<p>Whole</p>', compiledHtml: '<p>Whole</p>' }
    const given = slug === 'half-mjml' ? { sourceType: 'mjml', source: MJML } : { source }
    const pushed = slug === 'half-compiled' ? compiled : given
    await api.alice.post('/v1/templates/push', { slug, name: slug, subject: slug, ...pushed })
    const half = { source: '<p>HALF WRITTEN {% if', sourceType: 'html', subject: null }
    await api.alice.patch(`/v1/templates/${slug}`, half)
  }
  await api.alice.post('/v1/templates/push', { slug: 'mine', name: 'Mine', source: '<p>Old</p>' })
  await pullTemplates(access, own, undefined)
  const files = (await readdir(own)).filter((name) => /^(?:half|mine)/.test(name))
  expect(files.toSorted()).toEqual([
    'half-compiled.html',
    'half-compiled.json',
    'half-compiled.published.html',
    'half-draft.html',
    'half-draft.json',
    'half-html.html',
    'half-html.json',
    'half-html.published.html',
    'half-mjml.html',
    'half-mjml.json',
    'half-mjml.published.mjml',
    'mine.html',
    'mine.json',
  ])
  expect(await readFile(join(own, 'half-html.published.html'), 'utf8')).toBe('<p>Whole</p>')
  expect(JSON.parse(await readFile(join(own, 'half-draft.json'), 'utf8')).status).toBe('DRAFT')
  await writeFile(join(own, 'mine.html'), '<p>New</p>')
  const { answer } = await pushTemplates(access, own, RUN)
  const changed = answer.results.filter(({ outcome }) => outcome !== 'unchanged')
  expect(changed.map(({ slug }) => slug)).toEqual(['mine'])
  for (const { slug, status, hasUnpublishedChanges } of answer.results) {
    if (!slug.startsWith('half-')) continue
    const isDraft = slug === 'half-draft'
    expect([slug, status, hasUnpublishedChanges]).toEqual([
      slug,
      isDraft ? 'DRAFT' : 'PUBLISHED',
      !isDraft,
    ])
  }
  await api.alice.patch('/v1/templates/half-mjml', {
    source: MJML,
    sourceType: 'mjml',
    subject: 'M',
  })
  await api.alice.post('/v1/templates/half-mjml/publish')
  await pullTemplates(access, own, 'half-mjml')
  expect((await readdir(own)).filter((name) => name.startsWith('half-mjml.'))).toEqual([
    'half-mjml.json',
    'half-mjml.mjml',
  ])
})

test('a pull writes through no symbolic link', async () => {
  const own = await pulledFolder('linked', { source: '<p>Mail</p>' })
  const outside = join(parent, 'outside')
  await writeFile(outside, 'mine')
  for (const ending of ['html', 'json']) {
    const link = join(own, `linked.${ending}`)
    await rm(link)
    await symlink(outside, link)
    await expect(pullTemplates(access, own, 'linked')).rejects.toThrow(
      `${link} cannot be written: it is a symbolic link`,
    )
    await rm(link)
    await pullTemplates(access, own, 'linked')
  }
  expect(await readFile(outside, 'utf8')).toBe('mine')
})

/** An API that answers what it likes. */
async function stranger(answer: (path: string) => { status: number; body: object }) {
  const server = createServer((request, response) => {
    const { status, body } = answer(request.url ?? '')
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { access: { ...access, baseUrl }, close: () => server.close() }
}

const GOOD = { slug: 'good', name: 'Good', sourceType: 'html', source: '<p>Good</p>' }

test.each([
  [{ slug: '../evil' }, 'no slug'],
  [{ sourceType: '/../../../evil.sh' }, 'a sourceType of bad that is neither html nor mjml'],
  [{ sourceType: 'json' }, 'a sourceType of bad that is neither html nor mjml'],
  [{ source: ['<p>'] }, 'a source of bad that is not a text'],
  [{ textContent: 1 }, 'a source of bad that is not a text'],
  [
    { published: { sourceType: '/../../evil', source: '' } },
    'a sourceType of bad that is neither html nor mjml',
  ],
  [{ published: { sourceType: 'html', source: 1 } }, 'a source of bad that is not a text'],
])('an API that answers %j has nothing written', async (bad, words) => {
  const templates = [GOOD, { ...GOOD, slug: 'bad', ...bad }]
  const api = await stranger(() => ({ status: 200, body: { templates, nextCursor: null } }))
  const before = (await readdir(parent)).toSorted()
  const own = join(parent, 'strange', 'and', 'deep')
  await mkdir(own, { recursive: true })
  await expect(pullTemplates(api.access, own, undefined)).rejects.toThrow(words)
  expect(await readdir(join(parent, 'strange'), { recursive: true })).toEqual([
    'and',
    join('and', 'deep'),
  ])
  await rm(join(parent, 'strange'), { recursive: true })
  expect((await readdir(parent)).toSorted()).toEqual(before)
  api.close()
})

test('nothing that a terminal acts on is printed as it came', async () => {
  const title = '\u001b]0;owned\u0007\u009b2J\u007f\u202e\u{e0041}'
  const shown = '\\u001b]0;owned\\u0007\\u009b2J\\u007f\\u202e\\udb40\\udc41'
  const results = [{ slug: title, id: null, outcome: 'updated', version: 1 }]
  const there = { ...GOOD, source: `${title}\r\tä\n` }
  let status = 200
  const server = await stranger((path) => {
    if (path.includes('pull')) return { status, body: { templates: [there], nextCursor: null } }
    const body = { success: true, dryRun: true, results }
    return { status, body: status === 200 ? body : { error: title, code: 'CONFLICT' } }
  })
  const own = join(parent, 'shown')
  await mkdir(own)
  await writeFile(join(own, 'good.json'), JSON.stringify({ name: 'Good' }))
  await writeFile(join(own, 'good.html'), '<p>Here</p>')
  const run = async (...more: string[]) => {
    const args = ['templates', 'push', own, '--dry-run', '--base-url', server.access.baseUrl]
    const env = { ...process.env, LETTERLOOM_API_KEY: api.alice.key }
    try {
      return (await execute(process.execPath, [CLI, ...args, ...more], { env })).stdout
    } catch (error) {
      return (error as { stderr: string }).stderr
    }
  }
  const [table, json] = await Promise.all([run(), run('--json')])
  status = 409
  const refusal = await run()
  server.close()
  for (const text of [table, json, refusal]) {
    expect(text).toContain(shown)
    expect(text).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}]/u)
  }
  expect(table).toContain(`- ${shown}\\u000d\tä\n`)
  expect(table).toMatch(/^slug +id +outcome +version$/m)
  expect(JSON.parse(json)).toMatchObject({ results })
})
