import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Certificate } from '../../../api/smtp/server.ts'
import type { Log } from '../../loops/loop.ts'

const LOOK_EVERY_MS = 10_000

interface Files {
  certificatePath: string
  keyPath: string
}

/** Reads a certificate with its chain, and its key. Throws if they do not belong together. */
export async function readCertificate({ certificatePath, keyPath }: Files): Promise<Certificate> {
  const [cert, key] = await Promise.all([
    readFile(certificatePath, 'utf8'),
    readFile(keyPath, 'utf8'),
  ])
  createSecureContext({ cert, key })
  return { cert, key }
}

/**
 * Checks the files from time to time, and calls `onChange` with a new certificate. An unusable one
 * is logged, and the old one stays: the file may be half written. Returns a function that ends it.
 */
export function watchCertificate(
  files: Files,
  certificate: Certificate,
  {
    onChange,
    log,
    everyMs = LOOK_EVERY_MS,
  }: { onChange: (certificate: Certificate) => void; log: Log; everyMs?: number },
): () => void {
  let used = certificate
  let isLooking = false
  let problem = ''
  const timer = setInterval(() => void look(), everyMs).unref()
  return () => clearInterval(timer)

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    try {
      const newCertificate = await readCertificate(files)
      problem = ''
      if (newCertificate.cert !== used.cert || newCertificate.key !== used.key) {
        used = newCertificate
        onChange(newCertificate)
        log.info({}, 'the certificate was changed')
      }
    } catch (error) {
      const message = String(error)
      if (message !== problem) log.error({ err: error }, 'the new certificate cannot be used')
      problem = message
    }
    isLooking = false
  }
}
