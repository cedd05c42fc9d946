/**
 * Stops our children when we are killed without warning (kill -9, out of memory).
 *
 * Run by `node -e`, so that it is the same from sources and compiled, and starts in 40 ms: hence
 * JavaScript in a string. It reads `watch <pid> <signal> <grace ms>` and `forget <pid>` from a pipe
 * that only we hold; the end of that pipe is our end. It leads a session of its own, or Ctrl-C
 * would end it before us.
 */
export const REAPER = String.raw`
const { readFileSync } = require('node:fs')
const watched = new Map()
let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\n')
  rest = lines.pop()
  for (const line of lines) {
    const [verb, pid, signal, graceMs] = line.split(' ')
    if (verb === 'watch') watched.set(Number(pid), { signal, graceMs: Number(graceMs) })
    else watched.delete(Number(pid))
  }
})
process.stdin.on('error', () => {})
process.stdin.on('close', () => {
  for (const [pid, { signal, graceMs }] of watched) {
    send(pid, signal)
    const end = Date.now() + graceMs
    const look = setInterval(() => {
      if (gone(pid)) clearInterval(look)
      else if (Date.now() > end) {
        clearInterval(look)
        send(-pid, 'SIGKILL')
      }
    }, 50)
  }
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
function send(pid, signal) {
  try { process.kill(pid, signal) } catch {}
}
function gone(pid) {
  try {
    const stat = readFileSync('/proc/' + pid + '/stat', 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {}
  try { return !process.kill(pid, 0) } catch { return true }
}
`
