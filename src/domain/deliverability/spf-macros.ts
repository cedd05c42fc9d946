export interface SpfSubject {
  /** `ann@example.com`. Without a local part it is `postmaster`. */
  sender: string
  domain: string
  ip: string
  helo: string
  validated: string
}

const EXPANSION = /%(?:\{([slodiphv])(\d*)(r?)([.\-+,/_=]*)\}|([%_-]))/gi
const LONGEST = 253

export function expand(text: string, subject: SpfSubject): string {
  const expanded = text
    .replace(EXPANSION, (_, letter: string | undefined, digits, reverse, delimiters, escaped) =>
      letter === undefined
        ? (ESCAPES[String(escaped)] ?? '')
        : transformed(letter, subject, {
            keep: digits === '' ? undefined : Number(digits),
            isReversed: reverse !== '',
            delimiters: delimiters === '' ? '.' : String(delimiters),
          }),
    )
    .replace(/\.$/, '')
  return shortened(expanded)
}

const ESCAPES: Record<string, string> = { '%': '%', _: ' ', '-': '%20' }

interface Transformers {
  keep: number | undefined
  isReversed: boolean
  delimiters: string
}

function transformed(
  letter: string,
  subject: SpfSubject,
  { keep, isReversed, delimiters }: Transformers,
): string {
  const parts = valueOf(letter.toLowerCase(), subject).split(
    new RegExp(`[${delimiters.replace(/[-\]\\^]/g, '\\$&')}]`),
  )
  const ordered = isReversed ? parts.toReversed() : parts
  const keptParts = keep === undefined ? ordered : ordered.slice(-keep)
  const value = keptParts.join('.')
  return letter === letter.toUpperCase() ? encodeURIComponent(value) : value
}

function valueOf(letter: string, { sender, domain, ip, helo, validated }: SpfSubject): string {
  const at = sender.lastIndexOf('@')
  switch (letter) {
    case 's':
      return sender
    case 'l':
      return sender.slice(0, at)
    case 'o':
      return sender.slice(at + 1)
    case 'd':
      return domain
    case 'i':
      return ip.includes(':') ? nibbles(ip).join('.') : ip
    case 'p':
      return validated
    case 'h':
      return helo
    default:
      return ip.includes(':') ? 'ip6' : 'in-addr'
  }
}

export function nibbles(ip: string): string[] {
  const [left = '', right] = dotted(ip).split('::')
  const groups = (half: string): string[] => (half === '' ? [] : half.split(':'))
  const [first, last] = [groups(left), groups(right ?? '')]
  const filled = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
  return filled.flatMap((group) => Array.from(group.toLowerCase().padStart(4, '0')))
}

const dotted = (ip: string): string =>
  ip.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })

function shortened(name: string): string {
  if (name.length <= LONGEST) return name
  const cut = name.slice(name.length - LONGEST)
  return cut.slice(cut.indexOf('.') + 1)
}
