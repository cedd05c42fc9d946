import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { createSmtpMetrics } from '../../../api/smtp/metrics.ts'
import { createSubmission, type Protection } from '../../../api/smtp/server.ts'
import type { Config } from '../../config.ts'
import { startClockKeeper } from '../../loops/clock-keeper.ts'
import { createRenderer } from '../../mail/renderer.ts'
import { connect } from '../../store/db/sql.ts'
import { readCertificate, watchCertificate } from './certificate.ts'
import { listening, serveInternal } from '../programs/internal.ts'
import { checkedKeyring } from '../programs/keys.ts'
import { whenStopped } from '../programs/lifetime.ts'
import { limiterOf } from './limiter.ts'
import { createReadiness } from '../programs/readiness.ts'
import { required, temporalAddress } from '../programs/required.ts'
import { waitForSessions } from '../programs/wait-for-sessions.ts'

const LAST_STATEMENT_SECONDS = 5

/**
 * Accepts mail by SMTP until a shutdown is requested, and answers messages under way first. Without
 * a certificate, which development allows, it has a single port in plain text.
 */
export async function runSmtp(config: Config, log: Logger, stopped: AbortSignal): Promise<void> {
  const databaseUrl = required(config.databaseUrl, 'DATABASE_URL')
  const keyring = checkedKeyring(config)
  const files = certificateFiles(config)
  const certificate = files && (await readCertificate(files).catch(unusable))
  const sql = connect(databaseUrl, { name: 'letterloom-smtp', role: 'letterloom_api', max: 10 })
  const metrics = createSmtpMetrics()
  const limiter = limiterOf(databaseUrl, log, () => metrics.rateLimiterFailOpen.inc())
  const renderer = createRenderer()
  const clock = startClockKeeper({ sql, log })
  const { publicUrl, host, smtp } = config
  const submission = createSubmission({
    sql,
    keyring,
    publicUrl,
    limiter,
    renderer,
    metrics,
    log,
    now: clock.now,
  })
  let isServing = false
  const readiness = createReadiness({
    databaseUrl,
    role: 'letterloom_api',
    temporalAddress: temporalAddress(config),
    needsTemporal: false,
    notices: config.notices.from === undefined ? 'off' : 'on',
    clock,
    isServing: () => isServing,
    isDraining: () => stopped.aborted,
  })
  const closeInternal = await serveInternal({
    address: config.internal,
    registry: metrics.registry,
    readiness: readiness.ask,
    log,
  })
  await waitForSessions(databaseUrl, log, stopped)
  if (!stopped.aborted) {
    const ports = certificate
      ? [
          await listen('SMTP_PORT', smtp.port, { tls: 'starttls', certificate }),
          await listen('SMTPS_PORT', smtp.securePort, { tls: 'implicit', certificate }),
        ]
      : [await listen('SMTP_PORT', smtp.port, { tls: 'none' })]
    log.info({ host, ports, isPlain: certificate === undefined }, 'mail submission listens')
    isServing = true
  }
  const onChange = submission.useCertificate
  const unwatch =
    files && certificate ? watchCertificate(files, certificate, { onChange, log }) : () => {}

  await whenStopped(stopped)
  log.info({}, 'shutdown requested')
  unwatch()
  await submission.close()
  await clock.stop()
  await renderer.close()
  await closeInternal()
  await limiter.close()
  await Promise.all([readiness.close(), sql.end({ timeout: LAST_STATEMENT_SECONDS })])
  log.info({}, 'stopped')

  async function listen(
    setting: 'SMTP_PORT' | 'SMTPS_PORT',
    port: number,
    protection: Protection,
  ): Promise<number> {
    const server = submission.open(protection).listen(port, host)
    await listening(setting, { host, port }, once(server, 'listening'))
    return (server.address() as AddressInfo).port
  }
}

/** Undefined: no certificate, which development allows. */
function certificateFiles({ smtp, mode }: Config) {
  const { certificatePath, keyPath } = smtp
  const hasNone = certificatePath === undefined && keyPath === undefined
  if (hasNone && mode === 'development') return undefined
  return {
    certificatePath: required(certificatePath, 'SMTP_CERTIFICATE_PATH'),
    keyPath: required(keyPath, 'SMTP_KEY_PATH'),
  }
}

function unusable(error: unknown): never {
  const why = error instanceof Error ? error.message : String(error)
  throw new Error(`SMTP_CERTIFICATE_PATH, SMTP_KEY_PATH: the certificate cannot be used: ${why}`)
}
