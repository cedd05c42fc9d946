import type { ChildProcess } from 'node:child_process'
import { guard } from '../../src/main/dev/guard.ts'

/** Ends a child process when the test's process ends, however it ends. */
export function endWithUs<Child extends ChildProcess>(child: Child): Child {
  if (child.pid === undefined) return child
  child.once('exit', guard(child.pid, { signal: 'SIGKILL', graceMs: 0 }))
  return child
}
