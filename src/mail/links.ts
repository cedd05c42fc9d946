import { attributesOf, tokensOf } from './html-tokens.ts'
import { mark, unmark } from './marks.ts'

export function linksOf(html: string): string[] {
  const { marked, liquid } = mark(html)
  const links = tokensOf(marked)
    .filter(({ kind, name }) => kind === 'start' && (name === 'a' || name === 'area'))
    .flatMap((token) => attributesOf(token).get('href') ?? [])
  return [...new Set(links)].map((link) => unmark(link, liquid).trim())
}
