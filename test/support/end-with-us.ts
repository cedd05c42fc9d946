import type { ChildProcess } from 'node:child_process'
import { guard } from '../../src/main/dev/guard.ts'

/** Has a process that a test started end when the test's own process does, however that ends. */
export function endWithUs<Child extends ChildProcess>(child: Child): Child {
  if (child.pid === undefined) return child
  child.once('exit', guard(child.pid, { signal: 'SIGKILL', graceMs: 0 }))
  return child
}
