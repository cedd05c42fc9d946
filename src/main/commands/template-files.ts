import { constants, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pages, type Schemas } from '../../client/index.ts'
import type { ApiAccess } from './api-access.ts'
import { asking, textOf, wordsOf } from './api-client.ts'
import { plain } from './plain.ts'

type Pulled = Schemas['PulledTemplate']
type Pushed = Schemas['TemplatePush']

/** Templates of one pulled page, the API's maximum. */
const PAGE = 100
/** File names consist of a slug and a known ending. Nothing else of them comes from outside. */
const FILE = /^([a-z0-9-]{1,100})\.json$/
const TYPES: readonly string[] = ['html', 'mjml'] satisfies Pulled['sourceType'][]
/** Files of a template besides its JSON. Push ignores the last two. */
const ENDINGS = ['html', 'mjml', 'txt', 'published.html', 'published.mjml'] as const
/** Flags to overwrite a file, but not through a symbolic link, which may lead out of the folder. */
const OVER = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW

/** Pulls all templates, or one, into a folder, replacing their files. Returns the written files. */
export async function pullTemplates(
  access: ApiAccess,
  folder: string,
  slug: string | undefined,
): Promise<{ slug: string; file: string }[]> {
  const pulled = (await load(access, slug)).map(filesOf)
  if (slug !== undefined && pulled.length === 0) throw new Error(`There is no template ${slug}`)
  await mkdir(folder, { recursive: true })
  for (const each of pulled) await writeFiles(folder, each)
  return pulled.map((each) => ({ slug: each.slug, file: `${each.slug}.${each.sourceType}` }))
}

interface Files {
  slug: string
  sourceType: Pulled['sourceType']
  /** Contents of each file besides the JSON. */
  contents: Map<(typeof ENDINGS)[number], string>
  marks: object
}

/** Returns a template as files. Throws if the API's answer is not a template. */
function filesOf(template: Pulled): Files {
  const { published, ...pulled } = template
  const { source: _, compiledHtml, compiledText, textContent, ...fields } = pulled
  const { slug, sourceType } = fields
  if (!FILE.test(`${slug}.json`)) throw new Error('The API returned no slug')
  const contents: Files['contents'] = new Map([[sourceType, sourceOf(slug, pulled)]])
  const text = textContent ?? compiledText ?? null
  if (typeof (text ?? '') !== 'string') {
    throw new Error(`The API returned a source of ${slug} that is not a text`)
  }
  if (text !== null) contents.set('txt', text)
  if (published) contents.set(`published.${published.sourceType}`, sourceOf(slug, published))
  const marks = compiledHtml === undefined ? fields : { ...fields, isCompiled: true }
  return { slug, sourceType, contents, marks }
}

/** Returns the source. Throws when it is not a text, or when its type is unknown. */
function sourceOf(
  slug: string,
  { sourceType, source, compiledHtml }: Pick<Pulled, 'sourceType' | 'source' | 'compiledHtml'>,
): string {
  if (!TYPES.includes(sourceType)) {
    throw new Error(`The API returned a sourceType of ${slug} that is neither html nor mjml`)
  }
  const text = source ?? compiledHtml ?? ''
  if (typeof text !== 'string') {
    throw new Error(`The API returned a source of ${slug} that is not a text`)
  }
  return text
}

/** Writes the JSON last, so that push never finds it beside older contents. */
async function writeFiles(folder: string, { slug, contents, marks }: Files): Promise<void> {
  const pathOf = (ending: string) => join(folder, `${slug}.${ending}`)
  for (const [ending, content] of contents) await write(pathOf(ending), content)
  const gone = ENDINGS.filter((ending) => !contents.has(ending))
  await Promise.all(gone.map((each) => rm(pathOf(each), { force: true })))
  await write(pathOf('json'), `${JSON.stringify(marks, null, 2)}\n`)
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: OVER })
  } catch (error) {
    const isLink = error instanceof Error && 'code' in error && error.code === 'ELOOP'
    const words = isLink ? 'it is a symbolic link' : wordsOf(error)
    throw new Error(`${path} cannot be written: ${words}`, { cause: error })
  }
}

async function load(access: ApiAccess, slug: string | undefined): Promise<Pulled[]> {
  return asking(access, async (client) => {
    const templates: Pulled[] = []
    const query = { limit: PAGE, ...(slug === undefined ? {} : { slug }) }
    const loadPage = (cursor: { cursor?: string }) =>
      client.get('/v1/templates/pull', { params: { query: { ...query, ...cursor } } })
    for await (const page of pages(loadPage)) templates.push(...page.templates)
    return templates
  })
}

export async function pushTemplates(
  access: ApiAccess,
  folder: string,
  options: { dryRun: boolean; force: boolean },
): Promise<{ answer: Schemas['TemplatePushResult']; differences: string }> {
  const templates = await readFolder(folder)
  const answer = await asking(access, (client) =>
    client.post('/v1/templates/push', { body: { templates, ...options } }),
  )
  if (!options.dryRun) return { answer, differences: '' }
  const there = new Map((await load(access, undefined)).map((each) => [each.slug, each]))
  const differences = templates.map((each) => differenceOf(there.get(each.slug), each)).join('')
  return { answer, differences: plain(differences) }
}

async function readFolder(folder: string): Promise<Pushed[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new Error(`${folder} cannot be read: ${wordsOf(error)}`, { cause: error })
  })
  const slugs = names.flatMap((name) => FILE.exec(name)?.[1] ?? []).toSorted()
  if (slugs.length === 0) throw new Error(`${folder} has no templates: pull writes such files`)
  return Promise.all(slugs.map((slug) => readTemplate(folder, slug, names)))
}

export async function readTemplate(
  folder: string,
  slug: string,
  names: readonly string[],
): Promise<Pushed> {
  const path = join(folder, `${slug}.json`)
  const { isCompiled, ...marks } = await readMarks(path)
  const isMjml = names.includes(`${slug}.mjml`)
  if (isMjml && names.includes(`${slug}.html`)) {
    throw new Error(
      `${folder} has both ${slug}.html and ${slug}.mjml: remove what is not the source`,
    )
  }
  const sourceType = isMjml ? 'mjml' : 'html'
  const source = await textOf(join(folder, `${slug}.${sourceType}`))
  const file = `${slug}.txt`
  const text = names.includes(file) ? await textOf(join(folder, file)) : undefined
  if (isCompiled === true) {
    const compiledText = text === undefined ? {} : { compiledText: text }
    return { ...marks, slug, compiledHtml: source, ...compiledText }
  }
  return {
    ...marks,
    slug,
    sourceType,
    source,
    ...(text === undefined ? {} : { textContent: text }),
  }
}

async function readMarks(path: string): Promise<Pushed & { isCompiled?: boolean }> {
  const text = await textOf(path)
  try {
    // Some editors begin a file with a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new Error(`${path} is not JSON: ${wordsOf(error)}`, { cause: error })
  }
}

/** Returns the differences to the published state, line by line: `-` there, `+` in the folder. */
function differenceOf(there: Pulled | undefined, here: Pushed): string {
  const before = linesOf(there)
  const after = linesOf(here)
  if (before.join('\n') === after.join('\n')) return ''
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const gone = before.slice(start, before.length - end).map((line) => `- ${line}\n`)
  const added = after.slice(start, after.length - end).map((line) => `+ ${line}\n`)
  return [`${here.slug}: line ${start + 1}\n`, ...gone, ...added].join('')
}

function linesOf(template: Pulled | Pushed | undefined): string[] {
  if (!template) return []
  const { name, subject = null, previewText = null, source, compiledHtml } = template
  const marks = [`name: ${name}`, `subject: ${subject ?? ''}`, `previewText: ${previewText ?? ''}`]
  return [...marks, ...(source ?? compiledHtml ?? '').split('\n')]
}
