// Completes package-lock.json after `npm install`. npm leaves builds for other platforms out of a
// lock that it changes on one, and `npm ci` then refuses the lock, or installs without a checksum
// what it would have checked. npm resolves the packages that want such builds once more, by
// themselves and from nothing; its entries are taken as they are.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const isComplete = (name) => lock.packages[`node_modules/${name}`]?.integrity !== undefined
const wanting = Object.entries(lock.packages).filter(
  ([path, { optionalDependencies = {} }]) =>
    path !== '' && Object.keys(optionalDependencies).some((name) => !isComplete(name)),
)

const folder = mkdtempSync(join(tmpdir(), 'complete-lock-'))
let added = 0
try {
  const dependencies = Object.fromEntries(
    wanting.map(([path, { version }]) => [path.split('node_modules/').at(-1), version]),
  )
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const resolving = [
    'install',
    '--package-lock-only',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ]
  execFileSync('npm', resolving, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const resolved = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages
  for (const [path, { optionalDependencies, dev }] of wanting) {
    for (const name of Object.keys(optionalDependencies)) {
      if (isComplete(name)) continue
      const found = resolved[`node_modules/${name}`] ?? {}
      const { version, integrity, resolved: _, cpu, ...entry } = found
      if (integrity === undefined) throw new Error(`${path}: the registry has no ${name}`)
      // Keys in npm's order: the next `npm install` changes nothing.
      const own = { version, integrity, ...(cpu ? { cpu } : {}), ...(dev ? { dev } : {}) }
      lock.packages[`node_modules/${name}`] = { ...own, ...entry }
      added++
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}
const [root, ...others] = Object.entries(lock.packages)
lock.packages = Object.fromEntries([root, ...others.sort(([a], [b]) => (a < b ? -1 : 1))])
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
process.stdout.write(`${added} added\n`)
