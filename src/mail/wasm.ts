import { readFileSync } from 'node:fs'

/** TypeScript knows it as a value only together with a browser's document. */
declare global {
  var WebAssembly: {
    Module: new (bytes: Uint8Array) => object
    RuntimeError: new (message?: string) => Error
  }
}

const MOST_PAGES = 2_048
/** WebAssembly core specification, 5.5. */
const HEADER_BYTES = 8
const MEMORY_SECTION = 5
const WITHOUT_MOST = 0
const WITH_MOST = 1

/**
 * Compiles a WebAssembly module whose memory cannot grow beyond 128 MB. A thread's own limit counts
 * JavaScript's memory only.
 */
export const boundedModule = (path: string): object =>
  new WebAssembly.Module(withMostMemory(readFileSync(path)))

/** Adds the maximum to the module's memory section, which holds one memory without a maximum. */
function withMostMemory(module: Uint8Array): Buffer<ArrayBuffer> {
  let at = HEADER_BYTES
  while (at < module.length) {
    const section = module[at]
    const size = readNumber(module, at + 1)
    const end = size.next + size.value
    if (section !== MEMORY_SECTION) {
      at = end
      continue
    }
    const [count, flags] = module.subarray(size.next, size.next + 2)
    if (count !== 1 || flags !== WITHOUT_MOST) throw new Error('a module has another memory')
    const least = module.subarray(size.next + 2, end)
    const content = [1, WITH_MOST, ...least, ...writeNumber(MOST_PAGES)]
    const before = module.subarray(0, at + 1)
    const bounded = Buffer.from([...writeNumber(content.length), ...content])
    return Buffer.concat([before, bounded, module.subarray(end)])
  }
  throw new Error('a module has no memory')
}

function readNumber(bytes: Uint8Array, from: number): { value: number; next: number } {
  let value = 0
  for (let at = from, scale = 1; ; at++, scale *= 128) {
    const byte = bytes[at] ?? 0
    value += (byte % 128) * scale
    if (byte < 128) return { value, next: at + 1 }
  }
}

function writeNumber(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) + 128)
  }
}
