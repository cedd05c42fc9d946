// Completes package-lock.json after `npm install`: npm leaves out the builds for other platforms that
// the registry at hand does not offer, and `npm ci` then refuses the lock on every machine. Their
// names and versions stand in the packages that want them; their platform is in their name.
import { readFileSync, writeFileSync } from 'node:fs'

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
]

const named = (name, values) =>
  values.filter((value) => name.split(/[-/]/).includes(value)).slice(0, 1)

let added = 0
for (const wants of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(wants.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`
    if (lock.packages[path]) continue
    const words = name.split(/[-/]/)
    const exact = /^\d/.test(version) ? version : version.replace(/^[~^]/, '')
    const os = named(name, systems)
    const cpu = named(name, processors)
    if (words.includes('wasm32')) cpu.push('wasm32')
    lock.packages[path] = {
      version: exact,
      ...(cpu.length > 0 ? { cpu } : {}),
      ...(wants.dev ? { dev: true } : {}),
      ...(words.some((word) => /^(musl|gnu)/.test(word))
        ? { libc: [words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc'] }
        : {}),
      optional: true,
      ...(os.length > 0 ? { os } : {}),
    }
    added++
  }
}
const [root, ...others] = Object.entries(lock.packages)
lock.packages = Object.fromEntries([root, ...others.sort(([a], [b]) => (a < b ? -1 : 1))])
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
process.stdout.write(`${added} added\n`)
