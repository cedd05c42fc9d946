import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Locked {
  integrity?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
  optionalDependencies?: Record<string, string>
}

/**
 * Builds of compilers and formatters for machines that the image and CI do not have. The registry
 * that the lock was made with does not offer them, so that their hashes are not known.
 */
const OTHER_PLATFORMS =
  /^node_modules\/@(?:biomejs\/cli|oxc-parser\/binding|oxlint\/binding|oxlint-tsgolint\/|swc\/core)(?:-|(?<=\/))(?!linux-(?:x64|arm64)(?:-gnu)?$)[\w-]+$/

it('every package has a hash that it is checked by, but for builds for other machines', () => {
  const file = new URL('../../package-lock.json', import.meta.url)
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
    packages: Record<string, Locked>
  }
  const unchecked = Object.entries(packages).filter(
    ([path, { integrity, link }]) => path !== '' && !integrity && !link,
  )
  const wrong = unchecked.filter(([path, { optional }]) => !optional || !OTHER_PLATFORMS.test(path))
  expect(wrong.map(([path]) => path)).toEqual([])
  // Nothing of them is in the image: it leaves out what is optional.
  expect(readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8')).toContain(
    'npm ci --no-audit --omit=dev --omit=optional',
  )
})

it('the lock holds every optional package of every platform, without which `npm ci` refuses it', () => {
  const file = new URL('../../package-lock.json', import.meta.url)
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
    packages: Record<string, Locked>
  }
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  )
  const missing = wanted.filter((name) => !packages[`node_modules/${name}`])
  // `node tools/complete-lock.mjs` adds them.
  expect(missing).toEqual([])
  expect(wanted.length).toBeGreaterThan(50)
})
