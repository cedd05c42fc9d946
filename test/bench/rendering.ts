/**
 * Mails rendered in a second, in a thread and in this process, in turns of the same run:
 * `npx tsx test/bench/rendering.ts [rounds]`. Claims of a hundred, four at once, as chunks of
 * batches ask for them. Prints mails a second, the ratio, how long this process' event loop was
 * held at once, and its memory with and without the thread.
 */
import { compileContent } from '../../src/mail/content.ts'
import type { MergeData } from '../../src/mail/render.ts'
import { createRenderer } from '../../src/mail/renderer.ts'
import { works } from '../../src/mail/works.ts'
import { watchEventLoop } from '../support/event-loop.ts'

const [rounds = 10] = process.argv.slice(2).map(Number)
const CLAIM = 100
const AT_ONCE = 4
const CLAIMS = 20
const MAILS = CLAIM * CLAIMS

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const megabytes = (): number => Math.round(process.memoryUsage().rss / 2 ** 20)

const row =
  '<tr><td style="padding:8px 12px;font:14px sans-serif">{{ contact.firstName | default: "there" }}</td><td><a href="https://shop.example.com/p?u={{ contact.id }}">{{ contact.properties.plan | upcase }}</a></td></tr>'
const html = (rows: number): string =>
  `<html><body><p>Hello {{ contact.firstName }}</p><table>${row.repeat(rows)}</table></body></html>`
const people = Array.from(
  { length: CLAIM },
  (_, n): MergeData => ({
    contact: {
      id: `${n}`,
      email: `ann${n}@example.com`,
      firstName: `Ann ${n}`,
      properties: { plan: 'pro' },
    },
    organization: { name: 'Acme' },
    unsubscribeUrl: `https://mail.example.com/unsubscribe/${'x'.repeat(120)}${n}`,
  }),
)

async function compare(name: string, rows: number): Promise<void> {
  const content = compileContent({ subject: 'News for {{ contact.firstName }}', html: html(rows) })
  const template = { content, marketing: true }
  const renderer = createRenderer()
  const inProcess = works.mails(template)

  const byThread = async (): Promise<void> => {
    let left = CLAIMS
    const chunk = async (): Promise<void> => {
      while (left-- > 0) {
        await Promise.all(renderer.mails({ ...template, key: name }, people, { owner: name }))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, chunk))
  }
  const here = async (): Promise<void> => {
    for (let n = 0; n < CLAIMS; n++) people.map(inProcess)
  }
  await here()
  const before = megabytes()
  await byThread()
  const figures = { thread: 0, here: 0, held: 0 }
  for (let round = 0; round < rounds; round++) {
    const loop = watchEventLoop()
    figures.thread += await msOf(byThread)
    figures.held = Math.max(figures.held, loop.stop())
    figures.here += await msOf(here)
  }
  const perSecond = (ms: number): number => Math.round((MAILS * rounds * 1_000) / ms)
  const [length] = people.map(inProcess).map((mail) => mail.html.length)
  say(
    `${name} (${length} characters): thread ${perSecond(figures.thread)}/s, here ${perSecond(figures.here)}/s, ` +
      `ratio ${(figures.here / figures.thread).toFixed(2)}; held ${figures.held} ms at most; ` +
      `${before} MB before the thread, ${megabytes()} MB with it`,
  )
  await renderer.close()
}

async function msOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

await compare('small', 1)
await compare('usual', 20)
await compare('large', 90)
