import { PassThrough } from 'node:stream'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { vi } from 'vitest'
import { fail } from '../../src/main/programs/lifetime.ts'

interface Ran {
  code: number
  stdout: string
  stderr: string
}

type Write = typeof process.stdout.write

/** Thrown where a command would end its process. */
class Exit extends Error {
  readonly code: number

  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

/**
 * Runs commands as `letterloom` does, but in this process: a process for each costs more than its
 * work. One test of each group proves that the program has them. One at a time, since they share
 * the process.
 */
export function commandLine(add: (program: Command) => void) {
  return async (
    args: readonly string[],
    { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
  ): Promise<Ran> => {
    const output = { stdout: '', stderr: '' }
    const program = new Command('letterloom')
      .exitOverride()
      .configureOutput({
        writeOut: (text) => (output.stdout += text),
        writeErr: (text) => (output.stderr += text),
      })
      .showHelpAfterError()
    add(program)
    const undo = [
      vi.spyOn(process.stdout, 'write').mockImplementation(into(output, 'stdout')),
      vi.spyOn(process.stderr, 'write').mockImplementation(into(output, 'stderr')),
      vi.spyOn(process, 'stdin', 'get').mockReturnValue(inputOf(input)),
      vi.spyOn(process, 'exit').mockImplementation((code) => {
        throw new Exit(Number(code ?? 0))
      }),
    ]
    const [environment, exitCode] = [{ ...process.env }, process.exitCode]
    process.exitCode = undefined
    Object.assign(process.env, env)
    try {
      const code = await run(program, args)
      return { code, ...output }
    } finally {
      process.exitCode = exitCode
      for (const name of Object.keys(env)) {
        if (environment[name] === undefined) delete process.env[name]
      }
      Object.assign(process.env, environment)
      for (const each of undo) each.mockRestore()
    }
  }
}

/** Returns the exit code. */
async function run(program: Command, args: readonly string[]): Promise<number> {
  try {
    await program.parseAsync([...args], { from: 'user' }).catch((error: unknown) => {
      const isTold = error instanceof CommanderError && !(error instanceof InvalidArgumentError)
      if (isTold) throw new Exit(error.exitCode)
      fail(error)
    })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof Exit) return error.code
    throw error
  }
}

const into =
  (output: { stdout: string; stderr: string }, name: 'stdout' | 'stderr'): Write =>
  (chunk: string | Uint8Array, ...rest: unknown[]) => {
    output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const callback = rest.find((each) => typeof each === 'function')
    if (typeof callback === 'function') callback()
    return true
  }

function inputOf(text: string): typeof process.stdin {
  const stream = new PassThrough()
  stream.end(text)
  return stream as unknown as typeof process.stdin
}
