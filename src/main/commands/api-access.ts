import { InvalidArgumentError, Option } from 'commander'

export interface ApiAccess {
  baseUrl: string
  keyFile?: string
}

export const baseUrlOption = () =>
  new Option('--base-url <url>', 'where the API is, without /v1')
    .argParser(webAddress)
    .default('http://127.0.0.1:3000')

// There is no option for the key itself: every user of a machine can read all command lines.
export const keyFileOption = () => new Option('--key-file <path>', 'a file that holds the API key')

function webAddress(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new InvalidArgumentError('It must be an address that begins with https:// or http://.')
}
