// A build starts from nothing, so that a deleted source file leaves no compiled one behind.
import { rmSync } from 'node:fs'
rmSync('dist', { recursive: true, force: true })
