/**
 * Checks with `recheck` (automata, or a search for an attack) that every regular expression takes
 * time in proportion to its text: `npm run regexes`. Others must be fixed, or listed in
 * `accepted.ts` with a reason.
 */
import { execFileSync } from 'node:child_process'
import { check } from 'recheck'
import { ACCEPTED, MADE, OWN } from './accepted.ts'
import { type Found, readSources } from './sources.ts'

const FOLDERS = ['src', 'api', 'activities', 'workflows', 'tools']
/** Time limit for one expression. The slowest takes a tenth of it. */
const TIMEOUT_MS = 60_000
/** Seed of the search for an attack, so that runs give the same result. */
const SEED = 1

const isOwn = (file: string): boolean => Object.keys(OWN).some((folder) => file.startsWith(folder))

/** Returns the problem, or undefined. */
async function fault({ source, flags, files }: Found): Promise<string | undefined> {
  const verdict = await check(source, flags, { timeout: TIMEOUT_MS, randomSeed: SEED })
  if (verdict.status === 'safe') return undefined
  const why =
    verdict.status === 'vulnerable'
      ? `${verdict.complexity.summary}: ${verdict.attack.pattern.slice(0, 100)}`
      : `not decided: ${verdict.error.kind}`
  return `/${source}/${flags}\n  in ${files.join(', ')}\n  ${why}`
}

const files = execFileSync('git', ['ls-files', '--', ...FOLDERS], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(?:ts|mjs)$/.test(file))
const { found, making } = readSources(files)
const textOf = ({ source, flags }: Found): string => `/${source}/${flags}`
const faults: string[] = []
for (const each of found) {
  if (Object.hasOwn(ACCEPTED, textOf(each)) || each.files.every(isOwn)) continue
  const wrong = await fault(each)
  if (wrong !== undefined) faults.push(wrong)
}
const texts = new Set(found.map(textOf))
for (const text of Object.keys(ACCEPTED)) {
  if (!texts.has(text)) faults.push(`${text}\n  is accepted by tools/regexes, but stands nowhere`)
}
for (const file of making.filter((each) => !Object.hasOwn(MADE, each))) {
  faults.push(`${file}\n  makes one at run time: say of what in tools/regexes/accepted.ts`)
}
for (const file of Object.keys(MADE).filter((each) => !making.includes(each))) {
  faults.push(`${file}\n  makes none any more: take it out of tools/regexes/accepted.ts`)
}
console.log(faults.join('\n'))
console.log(`${found.length} regular expressions, ${faults.length} faults`)
// The checker keeps a process of its own running.
process.exit(faults.length === 0 ? 0 : 1)
