export interface MailField {
  name: string
  value: string
}

export interface MailParts {
  fields: MailField[]
  body: string
  /** A few of the lines that are not fields, unchanged. */
  oddLines: string[]
}

const MOST_FIELDS = 500
const MOST_ODD = 5
const FIELD = /^([!-9;-~]{1,100})[ \t]*:(.*)$/s

export function readMail(text: string): MailParts {
  const unified = text.replace(/\r\n?/g, '\n').replace(/^\n+/, '')
  const end = unified.indexOf('\n\n')
  const head = end < 0 ? unified : unified.slice(0, end)
  const fields: MailField[] = []
  const oddLines: string[] = []
  let parts: string[] = []
  const finish = (): void => {
    const [, name, value = ''] = FIELD.exec(parts.join(' ')) ?? []
    if (name !== undefined && fields.length < MOST_FIELDS) {
      fields.push({ name: name.toLowerCase(), value: value.trim() })
    } else if (parts.length > 0 && oddLines.length < MOST_ODD) oddLines.push(parts.join(' '))
    parts = []
  }
  for (const line of head.split('\n')) {
    const isFolded = line.startsWith(' ') || line.startsWith('\t')
    if (!isFolded) finish()
    if (line !== '') parts.push(isFolded ? line.trim() : line)
  }
  finish()
  return { fields, body: end < 0 ? '' : unified.slice(end + 2), oddLines }
}

export const valuesOf = (fields: readonly MailField[], name: string): string[] =>
  fields.filter((field) => field.name === name).map(({ value }) => value)

export function domainIn(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const at = value.lastIndexOf('@')
  return at < 0 ? undefined : /^[a-z0-9._-]{1,253}/i.exec(value.slice(at + 1))?.[0].toLowerCase()
}
