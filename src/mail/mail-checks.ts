import { BlockList, isIP } from 'node:net'
import { clippingOf } from '../domain/content/clipping.ts'
import type { MailCheck } from '../domain/content/mail-check.ts'
import { shown } from '../domain/text.ts'
import { attributesOf, type Token, tokensOf } from './html-tokens.ts'
import { MARK } from './marks.ts'

interface CheckedMail {
  /** Null: the template leaves the subject to its users. */
  subject: string | null
  /** A template is marked, see `mark`. */
  html: string
  /** A template has no Liquid tags here. */
  text: string
  bytes?: number
  /** The mail needs an unsubscribe link and has none of its own. */
  lacksUnsubscribe?: boolean
  /** Links that we added, which are not the author's responsibility. */
  ours?: readonly string[]
}

const MOST_IMAGES = 30
/** Words below which a mail with images says nothing where images are blocked. */
const FEWEST_WORDS = 12
const MOST_NAMED = 3
const LONGEST_NAMED = 60
const MOST_TOKENS = 20

/**
 * Finds problems that the author would not want to send, without fetching anything, in time
 * proportional to the mail's length. Runs in the threads of `renderer.ts`.
 */
export function checkMail(mail: CheckedMail): MailCheck[] {
  const { subject, html, text, lacksUnsubscribe = false, bytes = Buffer.byteLength(html) } = mail
  const tokens = tokensOf(html)
  const images = tokens.filter(({ kind, name }) => kind === 'start' && name === 'img')
  const clipping = clippingOf(bytes)
  return [
    ...(subject?.trim() === '' ? [BLANK_SUBJECT] : []),
    ...linkChecks(tokens, mail.ours ?? []),
    ...(lacksUnsubscribe ? [NO_UNSUBSCRIBE_LINK] : []),
    ...imageChecks(images),
    ...wordChecks(text, images.length),
    ...(clipping === undefined ? [] : [warning('clipped', `The mail ${clipping}`)]),
  ]
}

const warning = (
  code: MailCheck['code'],
  message: string,
  part: MailCheck['part'] = 'html',
): MailCheck => ({ code, severity: 'warning', part, message })

const BLANK_SUBJECT = warning('blank_subject', 'The subject is blank', 'subject')
const NO_UNSUBSCRIBE_LINK: MailCheck = {
  code: 'no_unsubscribe_link',
  severity: 'info',
  part: 'html',
  message:
    'There is no unsubscribe link, so one is added at the end: put {{ unsubscribeUrl }} where it fits',
}

type LinkProblem = 'link_without_address' | 'relative_link' | 'local_link' | 'unusable_link'

const LINK_WORDS: Record<LinkProblem, string> = {
  link_without_address: 'lead nowhere: give each an address',
  relative_link: 'have no host, which links in a mail need: begin each with https://',
  local_link: 'lead to a machine or network that recipients cannot reach: use a public address',
  unusable_link: 'cannot be opened from a mail: use https://, mailto: or tel:',
}

function linkChecks(tokens: readonly Token[], ours: readonly string[]): MailCheck[] {
  const linkProblems = new Map<LinkProblem, string[]>()
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'start' || (token.name !== 'a' && token.name !== 'area')) continue
    const attributes = attributesOf(token)
    const href = attributes.get('href')
    if (hasLiquid(attributes) || isAnchor(attributes, href)) continue
    const problem = ours.includes(unescaped(href ?? '')) ? undefined : problemOf(href ?? '')
    if (problem === undefined) continue
    const name = problem === 'link_without_address' ? wordsAfter(tokens, at) : (href ?? '')
    const names = linkProblems.get(problem)
    if (names) names.push(name)
    else linkProblems.set(problem, [name])
  }
  return [...linkProblems].map(([problem, names]) =>
    warning(problem, `${named(names, 'link')} ${agreeing(LINK_WORDS[problem], names.length)}`),
  )
}

const hasLiquid = (attributes: ReadonlyMap<string, string>): boolean =>
  [...attributes.keys()].some((name) => name.includes('\uE000'))

const isAnchor = (attributes: ReadonlyMap<string, string>, href: string | undefined): boolean =>
  href === undefined && (attributes.has('name') || attributes.has('id'))

const UNUSABLE = new Set(['javascript:', 'vbscript:', 'data:', 'file:', 'blob:', 'about:'])

/** Returns the problem of an address as written, or as far as it is known before Liquid. */
function problemOf(writtenAddress: string): LinkProblem | undefined {
  const address = unescaped(writtenAddress).trim()
  if (address === '' || address === '#') return 'link_without_address'
  // A place in the mail, or the output of Liquid.
  if (address.startsWith('#') || address.startsWith('\uE000')) return undefined
  if (!/^[a-z][a-z0-9+.-]*:/i.test(address)) return 'relative_link'
  const url = urlOf(address)
  if (!url || UNUSABLE.has(url.protocol)) return 'unusable_link'
  return /^https?:$/.test(url.protocol) && isLocal(url.hostname) ? 'local_link' : undefined
}

/**
 * Reads an address in which Liquid may stand for any text, also for a host, which is then not
 * local.
 */
function urlOf(address: string): URL | undefined {
  try {
    return new URL(address.replace(MARK, 'x.example'))
  } catch {
    return undefined
  }
}

const LOCAL = new BlockList()
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  LOCAL.addSubnet(address, bits)
}
for (const [address, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  LOCAL.addSubnet(address, bits, 'ipv6')
}

/** Names that public name servers do not know, and addresses of private networks. */
function isLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  if (family !== 0) return LOCAL.check(host, family === 6 ? 'ipv6' : 'ipv4')
  const name = host.endsWith('.') ? host.slice(0, -1) : host
  return !name.includes('.') || /\.(?:localhost|local|internal|test|invalid)$/.test(name)
}

const ENTITIES: Record<string, string> = { amp: '&', '#38': '&', colon: ':', '#58': ':', num: '#' }

const unescaped = (text: string): string =>
  text.replace(/&(amp|colon|num|#38|#58);/g, (_, name: string) => ENTITIES[name] ?? '')

/** The words of a link that begins at a token. Only the first few if the link is never closed. */
function wordsAfter(tokens: readonly Token[], start: number): string {
  let words = ''
  for (const { kind, name, text } of tokens.slice(start + 1, start + MOST_TOKENS)) {
    if (kind === 'end' && name === 'a') break
    if (kind === 'text') words += text
  }
  return words.replace(MARK, '…').split(/\s+/).join(' ').trim()
}

function imageChecks(images: readonly Token[]): MailCheck[] {
  const withoutAlt: string[] = []
  const unusable: string[] = []
  let embedded = 0
  let embeddedLength = 0
  for (const image of images) {
    const attributes = attributesOf(image)
    if (hasLiquid(attributes)) continue
    const src = (attributes.get('src') ?? '').trim()
    if (!attributes.has('alt')) withoutAlt.push(src)
    if (/^data:/i.test(src)) {
      embedded++
      embeddedLength += src.length
      // Attachments are shown by their content id.
    } else if (!/^cid:/i.test(src) && problemOf(src) !== undefined) {
      unusable.push(src)
    }
  }
  const kilobytes = Math.ceil(embeddedLength / 1_024)
  return [
    ...(withoutAlt.length === 0
      ? []
      : [warning('image_without_alt', `${named(withoutAlt, 'image')} ${WITHOUT_ALT}`)]),
    ...(unusable.length === 0
      ? []
      : [warning('unusable_image', `${named(unusable, 'image')} ${UNUSABLE_IMAGE}`)]),
    ...(embedded === 0
      ? []
      : [
          warning(
            'embedded_images',
            `The HTML holds ${countedNoun(embedded, 'image')} of ${kilobytes} KB itself, which Gmail and Outlook do not show: use https addresses instead`,
          ),
        ]),
    ...(images.length > MOST_IMAGES
      ? [
          warning(
            'many_images',
            `The mail has ${images.length} images, each of which is loaded when it is opened: keep to ${MOST_IMAGES}`,
          ),
        ]
      : []),
  ]
}

const WITHOUT_ALT =
  'without alt, the text that is read if images are not shown: describe each image, or use alt="" for decoration'
const UNUSABLE_IMAGE = 'cannot be loaded by recipients: use public https addresses'

function wordChecks(text: string, images: number): MailCheck[] {
  if (text.trim() === '') {
    const message = 'The text part is empty: give textContent, or words to the HTML'
    return [warning('no_text_part', message, 'text')]
  }
  const words = text.split(/\s+/).filter((word) => /\p{L}/u.test(word) && !word.includes('://'))
  if (images === 0 || words.length >= FEWEST_WORDS) return []
  const message = `The mail is ${countedNoun(images, 'image')} and ${countedNoun(words.length, 'word')}: many people see no images, and filters distrust such mail. Put what matters into words`
  return [warning('mostly_images', message)]
}

const countedNoun = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

function named(names: readonly string[], noun: string): string {
  const some = names
    .filter((name) => name !== '')
    .slice(0, MOST_NAMED)
    .map((name) => `"${shown(name.replace(MARK, '…'), LONGEST_NAMED)}"`)
  const rest = names.length > some.length ? ['…'] : []
  const list = some.length === 0 ? '' : ` (${[...some, ...rest].join(', ')})`
  return `${countedNoun(names.length, noun)}${list}`
}

const agreeing = (phrase: string, count: number): string =>
  count === 1 ? phrase.replace(/^lead /, 'leads ').replace(/^have /, 'has ') : phrase
