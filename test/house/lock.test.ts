import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Locked {
  optionalDependencies?: Record<string, string>
}

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
