import { InvalidArgumentError } from 'commander'
import { isAddress, LINE, LONGEST_NAME } from '../../domain/text.ts'

export function address(text: string): string {
  if (isAddress(text)) return text
  throw new InvalidArgumentError('This is not an email address.')
}

export function name(text: string): string {
  const { length } = Array.from(text)
  if (length > 0 && length <= LONGEST_NAME && new RegExp(LINE).test(text)) return text
  throw new InvalidArgumentError(`It must have 1 to ${LONGEST_NAME} characters, on one line.`)
}

/** Reads a whole number between two others. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
}
