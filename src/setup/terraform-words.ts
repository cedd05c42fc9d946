/** Escapes HCL's template sequences. A JSON value is a valid HCL expression otherwise. */
const escaped = (value: string): string => value.replaceAll(/[$%](?=\{)/g, (sign) => sign + sign)

export const text = (value: string): string => escaped(JSON.stringify(value))

/** Matches a setting on one line. Settings of several lines are aligned on their own. */
const SETTING = /^( *"?[\w-]+"?) = (.*[^([{])$/

/** Aligns the equals signs of neighbouring settings as `terraform fmt` does. */
export function aligned(file: string): string {
  const lines = file.split('\n').map((line) => ({ line, name: SETTING.exec(line)?.[1] }))
  let width = 0
  return lines
    .map(({ line, name }, index) => {
      if (name === undefined) return line
      if (lines[index - 1]?.name === undefined) width = widthFrom(lines, index)
      return `${name.padEnd(width)}${line.slice(name.length)}`
    })
    .join('\n')
}

function widthFrom(lines: readonly { name: string | undefined }[], first: number): number {
  let width = 0
  for (let index = first; lines[index]?.name !== undefined; index++) {
    width = Math.max(width, lines[index]?.name?.length ?? 0)
  }
  return width
}

export const json = (value: object): string => `jsonencode(${expression(value, '  ')})`

function expression(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    const items = value.map((each) => expression(each, `${indent}  `))
    if (items.every((each) => !each.includes('\n'))) return `[${items.join(', ')}]`
    return `[\n${items.map((each) => `${indent}  ${each}`).join(',\n')}\n${indent}]`
  }
  if (typeof value !== 'object' || value === null) return escaped(JSON.stringify(value))
  const lines = Object.entries(value).map(
    ([key, each]) => `${indent}  ${text(key)} = ${expression(each, `${indent}  `)}`,
  )
  return `{\n${lines.join('\n')}\n${indent}}`
}
